import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { MailOnPage } from './mail-page.ts'

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly contentType: string
}

/** The files of the built page: one document and its assets. The file name of an asset contains a hash of its content. */
export interface PageFiles {
  readonly document: PageFile
  /** The assets by their path, for example `/assets/index-3f9c.js`. */
  readonly assets: ReadonlyMap<string, PageFile>
  /** The mails that the demo has received; undefined if the mail server is external. */
  readonly mails?: (() => readonly MailOnPage[]) | undefined
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads all files of the built page, a few hundred kilobytes, into memory. Requests are served from memory, so the path
 * of a request never selects a file on the disk.
 */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = new Map<string, PageFile>()
  for (const path of paths)
    files.set(`/${relative(folder, path).split(sep).join('/')}`, await readPageFile(path))
  const document = files.get('/index.html')
  if (document === undefined) throw new Error(`${folder} contains no index.html, so it is not a built page`)
  files.delete('/index.html')
  return { document, assets: files }
}

async function readPageFile(path: string): Promise<PageFile> {
  const contentType = contentTypes[extname(path)]
  if (contentType === undefined)
    throw new Error(`${path}: the content type of this file extension is not defined`)
  return { body: new Uint8Array(await readFile(path)), contentType }
}

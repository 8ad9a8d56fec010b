import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** One file of the page. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly contentType: string
}

/** The built page: a document, and the assets it names, each under a name that changes with its content. */
export interface PageFiles {
  readonly document: PageFile
  /** By path: `/assets/index-3f9c.js`. */
  readonly assets: ReadonlyMap<string, PageFile>
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads the built page whole: a few hundred kilobytes that are sent again and again, and never looked for by a path that
 * somebody asks for.
 */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = new Map<string, PageFile>()
  for (const path of paths)
    files.set(`/${relative(folder, path).split(sep).join('/')}`, await readPageFile(path))
  const document = files.get('/index.html')
  if (document === undefined) throw new Error(`${folder} holds no index.html: it is not a built page`)
  files.delete('/index.html')
  return { document, assets: files }
}

async function readPageFile(path: string): Promise<PageFile> {
  const contentType = contentTypes[extname(path)]
  if (contentType === undefined) throw new Error(`${path}: nothing says what type files of this kind have`)
  return { body: new Uint8Array(await readFile(path)), contentType }
}

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CannotStartError } from '../cannot-start-error.ts'

const application = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(application, 'node_modules', '.cache', 'page')
const keptMs = 86_400_000

/**
 * Returns the directory of the built page. A built host already contains the built page. A host that runs from source
 * starts Vite in a separate process to build the page, or reuses an earlier build of identical sources.
 *
 * @throws {CannotStartError} with the output of Vite
 */
export async function buildPage(): Promise<string> {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('../web', import.meta.url))
  const folder = join(cache, await contentHash())
  if (await isThere(join(folder, 'index.html'))) return folder
  await mkdir(cache, { recursive: true })
  const unfinished = `${folder}.${process.pid}`
  await build(unfinished)
  // If another process has already created the folder, keep that folder, because both builds are identical.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }))
  await forgetOld()
  return folder
}

/** Hashes all inputs of the page: its own files, the sources of the user interface package, and the lockfile. */
async function contentHash(): Promise<string> {
  const userInterface = dirname(fileURLToPath(import.meta.resolve('@vertical-kit/ui-client')))
  const paths = [
    ...(await filesIn(join(application, 'web'))),
    ...(await filesIn(userInterface)),
    join(application, 'vite.config.ts'),
    join(application, 'package.json'),
    join(application, '..', '..', 'pnpm-lock.yaml'),
  ]
  const hash = createHash('sha256')
  for (const path of paths.sort()) hash.update(relative(application, path)).update(await readFile(path))
  return hash.digest('hex').slice(0, 32)
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

async function build(outDir: string): Promise<void> {
  const vite = fileURLToPath(new URL('bin/vite.js', import.meta.resolve('vite/package.json')))
  const child = spawn(process.execPath, [vite, 'build', '--outDir', outDir, '--logLevel', 'warn'], {
    cwd: application,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject).once('close', resolve)
  const status = await promise
  if (status === 0) return
  await rm(outDir, { recursive: true, force: true })
  const message = Buffer.concat(output).toString().trim()
  throw new CannotStartError(`Building the page failed (vite exited with ${status}):\n${message}`, undefined)
}

/** Deletes builds older than `keptMs`. This is safe, because a host reads all files of the page when it starts. */
async function forgetOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name)
    const builtMs = await stat(path).then((entry) => entry.mtimeMs, Date.now)
    if (Date.now() - builtMs > keptMs) await rm(path, { recursive: true, force: true })
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Returns the commit to compare with: the point where this branch left `origin/main`, or the first parent of HEAD. Returns
 * undefined if the history does not contain it, for example in a shallow clone.
 */
export async function findPredecessor(): Promise<string | undefined> {
  const head = await git('rev-parse', 'HEAD')
  const fork = await git('merge-base', 'HEAD', 'origin/main')
  return fork === undefined || fork === head ? git('rev-parse', '--verify', '--quiet', 'HEAD^1') : fork
}

/** Returns the full name of a commit, or undefined if it does not exist. */
export const findCommit = (name: string): Promise<string | undefined> =>
  git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)

/** Returns the hash and the subject of a commit. */
export const describeCommit = async (commit: string): Promise<string> =>
  (await git('log', '--max-count=1', '--format=%h %s', commit)) ?? commit

async function git(...args: readonly string[]): Promise<string | undefined> {
  const { stdout } = await run('git', args, { cwd: repository }).catch(() => ({ stdout: '' }))
  return stdout.trim() === '' ? undefined : stdout.trim()
}

/** Writes the files of a commit into a folder and installs the dependencies of its host. Its scripts do not run. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = spawn('git', ['archive', '--format=tar', commit], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const extract = spawn('tar', ['-x', '-C', folder], { stdio: [archive.stdout, 'ignore', 'inherit'] })
  const codes = await Promise.all([once(archive, 'exit'), once(extract, 'exit')])
  if (codes.some(([code]) => code !== 0)) throw new Error(`The files of ${commit} cannot be extracted`)
  const { packageManager } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly packageManager: string
  }
  const install = ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts']
  await run('npx', ['-y', packageManager, ...install, '--filter', '@vertical-kit/demo-host...'], {
    cwd: folder,
    timeout: 120_000,
  })
}

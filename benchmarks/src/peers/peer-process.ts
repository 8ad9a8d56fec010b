import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ServerOptions, type ServerProcess, startServer } from '../server-process.ts'

const folder = new URL('../../peers/', import.meta.url)

/**
 * Installs the peers with the versions of their lockfile, if they are missing. They have their own workspace, so the kit never
 * depends on them. No package is compiled.
 */
export async function installPeers(): Promise<void> {
  console.log('installing the peers')
  const root = JSON.parse(await readFile(new URL('../../package.json', folder), 'utf8')) as {
    readonly packageManager: string
  }
  const install = ['-y', root.packageManager, 'install', '--frozen-lockfile', '--prefer-offline']
  await promisify(execFile)('npx', install, { cwd: fileURLToPath(folder) })
}

/** Returns the script of a peer. */
export const peerScript = (name: string): URL => new URL(`${name}.ts`, folder)

/** Starts the script of a peer. */
export const startPeer = (
  name: string,
  env: Readonly<Record<string, string>>,
  options?: ServerOptions,
): Promise<ServerProcess> => startServer(peerScript(name), env, options)

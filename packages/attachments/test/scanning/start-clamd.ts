import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../../../vitest.free-port.ts'
import { clamdPath } from '../../../../vitest.optional-programs.ts'

/** A running ClamAV daemon, which knows only {@link malware}. */
export interface Clamd {
  readonly host: string
  readonly port: number
  /** The path of its Unix socket. */
  readonly path: string
  close(): Promise<void>
}

/** The text that the signature of the tests finds. */
export const malware = 'VK-TEST-MALWARE'

/** The daemon refuses larger files. */
export const maxStreamBytes = 1024 ** 2

/** The daemon does not search larger files, and reports them, as the README recommends. */
export const maxSearchedBytes = maxStreamBytes / 2

/** Starts Debian's daemon with one signature, because the real signatures would have to be downloaded. */
export async function startClamd(): Promise<Clamd> {
  const directory = await mkdtemp(join(tmpdir(), 'attachments-clamd-'))
  const [host, port, path] = ['127.0.0.1', await freePort(), join(directory, 'clamd.sock')]
  const database = join(directory, 'database')
  await mkdir(database)
  const signature = `Test.Malware-1:0:*:${Buffer.from(malware).toString('hex')}\n`
  await writeFile(join(database, 'test.ndb'), signature)
  const settings = [
    `DatabaseDirectory ${database}`,
    `TemporaryDirectory ${directory}`,
    `TCPAddr ${host}`,
    `TCPSocket ${port}`,
    `LocalSocket ${path}`,
    `StreamMaxLength ${maxStreamBytes}`,
    `MaxFileSize ${maxSearchedBytes}`,
    'AlertExceedsMax yes',
    'Foreground yes',
  ]
  const file = join(directory, 'clamd.conf')
  await writeFile(file, `${settings.join('\n')}\n`)
  const process = spawn(clamdPath, ['--config-file', file], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(process, 'exit')
  await untilReady(process.stdout)
  // A full pipe would stop the daemon.
  process.stdout.resume()
  return {
    ...{ host, port, path },
    async close() {
      process.kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Resolves when the daemon has loaded its signatures and serves its sockets. Rejects if it ends first. */
async function untilReady(log: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface(log)) if (line.startsWith('Self checking every')) return
  throw new Error('clamd has ended')
}

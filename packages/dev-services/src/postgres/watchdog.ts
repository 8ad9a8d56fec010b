import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'

// The script reads a pipe that only this process keeps open. When this process ends in any way, even by SIGKILL, the
// loop ends and the script stops the server. Each line is the pid of the running server. An empty line means that the
// server has ended: its pid can then belong to another process.
const script = `
while read -r line; do pid=$line; done
[ -n "$pid" ] && kill -INT "$pid" && while kill -0 "$pid"; do sleep 0.1; done
[ -z "$1" ] || rm -rf "$1"`

/** A process that stops the server and removes temporary data when this process ends. */
export interface Watchdog {
  /** Guards a server until it ends. Replaces the previous server. */
  guard(server: ChildProcess): void
  /** Ends the watchdog, and returns when its process has ended. */
  end(): Promise<void>
}

/** Starts a watchdog for the servers of one cluster. `temporary` is the folder that it removes. */
export function startWatchdog(temporary: string | undefined): Watchdog {
  if (process.platform === 'win32') return { guard() {}, async end() {} }
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', temporary ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => {
    watchdog.on('exit', resolve).on('error', resolve)
  })
  watchdog.unref()
  const { stdin } = watchdog
  if (stdin instanceof Socket) stdin.unref()
  // A write fails if a user has killed the watchdog. The server also works without it.
  stdin.on('error', () => {})
  return {
    guard(server) {
      if (server.pid === undefined) return
      stdin.write(`${server.pid}\n`)
      server.once('exit', () => stdin.write('\n'))
    },
    async end() {
      watchdog.ref()
      watchdog.kill('SIGKILL')
      await ended
    },
  }
}

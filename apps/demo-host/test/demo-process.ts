import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The JSON in the ready line that a demo prints. */
export interface Ready {
  readonly url: string
  readonly issuer: string
  readonly objectStore: string
  readonly databaseUrl: string
}

/** A running process of the demo program. */
export interface DemoRun {
  readonly process: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the exit code after the process has ended and all of its output was read. */
  readonly ended: Promise<number | null>
}

/** A running demo that has printed its ready line. */
export interface Demo extends DemoRun, Ready {
  /** Returns a client for a user of the demo. For `null`, the client sends no token. */
  as(user: string | null): Promise<Request>
  /** Sends a signal to the demo and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Sends a request to the demo. The value of `body` is sent as JSON. */
export type Request = (
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>

// A demo usually starts within seconds. This limit must be lower than the time limit of hooks (vitest.config.ts).
// Otherwise the error of a demo that never becomes ready would not contain its output.
const readyLimitMs = 240_000
const memoryNeededBytes = 1024 ** 3

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Creates a directory for a demo's data. The directory is in memory if possible, because a busy disk slows the tests. */
export async function dataFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const memory = '/dev/shm'
  const space = await statfs(memory).catch(() => undefined)
  const parent = space && space.bavail * space.bsize >= memoryNeededBytes ? memory : tmpdir()
  const path = await mkdtemp(join(parent, 'demo-host-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Runs `pnpm demo` with only the given environment. */
export function runDemo(
  environment: Readonly<Record<string, string>>,
  argv: readonly string[] = [],
): DemoRun {
  const child = spawn(process.execPath, ['--conditions=@vertical-kit/source', main, ...argv], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const read = (stream: NodeJS.ReadableStream) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    return () => text
  }
  return {
    process: child,
    stdout: read(child.stdout),
    stderr: read(child.stderr),
    ended: once(child, 'close').then(([status]) => status as number | null),
  }
}

/** Returns the environment for an external object store with the credentials of the embedded store. */
export const externalStore = (endpoint: string): Readonly<Record<string, string>> => ({
  Attachments__Storage__InternalEndpoint: endpoint,
  Attachments__Storage__PublicEndpoint: endpoint,
  Attachments__Storage__AccessKey: 'demo',
  Attachments__Storage__SecretKey: 'demo-secret-key',
  Attachments__Storage__AllowInsecureHttp: 'true',
})

/** Returns the environment for a replica that shares all services of another demo. */
export const sharedParts = ({
  databaseUrl,
  issuer,
  objectStore,
}: Ready): Readonly<Record<string, string>> => ({
  DATABASE_URL: databaseUrl,
  Oidc__Issuer: issuer,
  Oidc__Audience: 'vertical-kit',
  ...externalStore(objectStore),
})

/** Starts a demo on free ports and waits until it is ready. */
export async function startDemo(
  environment: Readonly<Record<string, string>>,
  argv: readonly string[] = [],
): Promise<Demo> {
  const defaults = { PORT: '0', IDENTITY_PORT: '0', OBJECT_STORE_PORT: '0' }
  const run = runDemo({ ...defaults, ...environment }, argv)
  const ready = await readiness(run)
  return {
    ...run,
    ...ready,
    as: async (user) => requester(ready.url, user === null ? null : await accessToken(ready.issuer, user)),
    async stop(signal = 'SIGTERM') {
      run.process.kill(signal)
      return run.ended
    },
  }
}

/** A demo with its own data directory. */
export interface OpenDemo extends Demo {
  readonly dataPath: string
  /** Stops the demo and removes its data. */
  close(): Promise<void>
}

/** Starts a demo with a new data directory. If the demo fails to start, the directory is removed. */
export async function openDemo(
  environment: Readonly<Record<string, string>> = {},
  fill: (path: string) => Promise<void> = async () => {},
): Promise<OpenDemo> {
  const folder = await dataFolder()
  try {
    await fill(folder.path)
    const demo = await startDemo({ ...environment, DEMO_DATA_DIR: folder.path })
    return {
      ...demo,
      dataPath: folder.path,
      async close() {
        await demo.stop()
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

function readiness(run: DemoRun): Promise<Ready> {
  const { promise, resolve, reject } = Promise.withResolvers<Ready>()
  run.process.stdout?.on('data', () => {
    const line = /^ready (\{.*\})$/m.exec(run.stdout())?.[1]
    if (line !== undefined) resolve(JSON.parse(line) as Ready)
  })
  // Use SIGKILL, because a demo reacts to SIGTERM only after it is ready.
  const limit = setTimeout(() => run.process.kill('SIGKILL'), readyLimitMs)
  void run.ended.then((status) =>
    reject(new Error(`The demo exited with ${status} before it was ready:\n${run.stdout()}${run.stderr()}`)),
  )
  return promise.finally(() => clearTimeout(limit))
}

/** Requests an access token for a user with the password grant, which scripts also use. */
export async function accessToken(issuer: string, username: string): Promise<string> {
  const form = { grant_type: 'password', client_id: 'demo-cli', username, password: 'demo' }
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`No token for ${username}: status ${response.status}`)
  return token
}

/** Returns a client that sends this token. For `null`, the client sends no token. */
export function requester(url: string, token: string | null): Request {
  return (method, path, { body, headers } = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
}

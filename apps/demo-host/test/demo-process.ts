import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a demo says when it is ready. */
export interface Ready {
  readonly url: string
  readonly issuer: string
  readonly objectStore: string
  readonly databaseUrl: string
}

/** A run of the program, whatever becomes of it. */
export interface DemoRun {
  readonly process: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the exit status once the process has ended and everything it wrote was read. */
  readonly ended: Promise<number | null>
}

/** A demo that is ready. */
export interface Demo extends DemoRun, Ready {
  /** Sends requests as a user of the demo; `null` is nobody. */
  as(user: string | null): Promise<Request>
  /** Asks it to stop and resolves with its exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** `body` goes as JSON. */
export type Request = (
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>

// A demo is there within seconds. The limit is below that of a hook (vitest.config.ts), so that what is heard of one
// that hangs is what it said.
const readyLimitMs = 240_000
const memoryNeededBytes = 1024 ** 3

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** A folder of its own for a demo's data: in memory where there is some, or a busy disk decides how long all takes. */
export async function dataFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const memory = '/dev/shm'
  const space = await statfs(memory).catch(() => undefined)
  const parent = space && space.bavail * space.bsize >= memoryNeededBytes ? memory : tmpdir()
  const path = await mkdtemp(join(parent, 'demo-host-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Runs `pnpm demo` with nothing in its environment but what is given. */
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

/** Makes a demo use an object store of another process, with the credentials of the demo's own store. */
export const externalStore = (endpoint: string): Readonly<Record<string, string>> => ({
  Attachments__Storage__InternalEndpoint: endpoint,
  Attachments__Storage__PublicEndpoint: endpoint,
  Attachments__Storage__AccessKey: 'demo',
  Attachments__Storage__SecretKey: 'demo-secret-key',
  Attachments__Storage__AllowInsecureHttp: 'true',
})

/** Makes a demo a replica of another one: it starts no part of its own. */
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
  const freePorts = { PORT: '0', IDENTITY_PORT: '0', OBJECT_STORE_PORT: '0' }
  const run = runDemo({ ...freePorts, ...environment }, argv)
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

/** A demo over a folder of its own. */
export interface OpenDemo extends Demo {
  readonly dataPath: string
  /** Stops it and removes its data. */
  close(): Promise<void>
}

/** Starts a demo with nothing kept from before. Leaves nothing behind when it does not start. */
export async function openDemo(environment: Readonly<Record<string, string>> = {}): Promise<OpenDemo> {
  const folder = await dataFolder()
  try {
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
  // SIGTERM counts once a demo is ready.
  const limit = setTimeout(() => run.process.kill('SIGKILL'), readyLimitMs)
  void run.ended.then((status) =>
    reject(new Error(`The demo ended with ${status} before it was ready:\n${run.stdout()}${run.stderr()}`)),
  )
  return promise.finally(() => clearTimeout(limit))
}

/** Trades a name for an access token, as a script does. */
export async function accessToken(issuer: string, username: string): Promise<string> {
  const form = { grant_type: 'password', client_id: 'demo-cli', username, password: 'demo' }
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`No token for ${username}: ${response.status}`)
  return token
}

/** Sends requests with a token; `null` is nobody. */
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

// How much memory idle connections take, and how long a version takes to reach all of them:
// node --expose-gc --conditions=@vertical-kit/source packages/work-center/test/realtime/socket-memory.ts [count]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  coreMigrations,
  createApplication,
  createDatabase,
  createIdentity,
  createLogger,
  databaseDefaults,
  listen,
  migrate,
} from '@vertical-kit/core-audit'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { startPostgres } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { realtimeDefaults } from '../../src/realtime/config.ts'
import { createRealtime } from '../../src/realtime/realtime.ts'
import type { Told } from './socket-memory-clients.ts'

const count = Number(process.argv[2] ?? 5_000)

const server = await startPostgres()
await migrate({
  databaseUrl: server.adminUrl,
  packs: [coreMigrations, { name: 'versions', directory: new URL('./fixtures/', import.meta.url) }],
})
const operator = postgres(server.adminUrl, { max: 1, onnotice: () => {} })
const users = await operator<{ id: string; subject: string }[]>`
  insert into core_audit.users (id, subject, display_name)
  select gen_random_uuid(), 'user-' || n, 'User' from generate_series(1, ${count}::int) n
  returning id, subject`
await operator`insert into work_center.user_versions select id, 1 from core_audit.users`

const issuer = await startTestIssuer()
const database = createDatabase({ ...databaseDefaults, url: server.adminUrl, poolWaitMs: 60_000 })
const identity = createIdentity({ database, oidc: issuer.oidc, administratorRoleCodes: [], modules: [] })
const logger = createLogger({ level: 'warn' })
const realtime = createRealtime({
  ...{
    identify: identity.identify,
    database,
    logger,
    databaseUrl: server.adminUrl,
    config: realtimeDefaults,
  },
})
const app = createApplication({ title: 'Memory', identity, modules: [identity], logger })
const running = await listen(app, { host: '127.0.0.1', port: 0 })
realtime.start(running.server)

const tokens = await Promise.all(users.map(({ subject }) => issuer.token({ subject })))
const clients = fork(new URL('./socket-memory-clients.ts', import.meta.url))
const told = async (): Promise<Told> => ((await once(clients, 'message')) as [Told])[0]

/** One connection first, so that what is loaded and compiled once is not counted. */
clients.send({ url: running.url, tokens: tokens.slice(0, 100) })
await told()
const before = await settled()
const connectStartedMs = performance.now()
clients.send({ url: running.url, tokens: tokens.slice(100) })
await told()
const connectMs = performance.now() - connectStartedMs
const after = await settled()
const connections = realtime.connectionCount - 100

const publishStartedMs = performance.now()
realtime.publish(new Map(users.map(({ id }) => [id, 2])))
await told()
const publishMs = performance.now() - publishStartedMs

const cpuBefore = process.cpuUsage()
await delay(15_000)
const { user, system } = process.cpuUsage(cpuBefore)

console.log({
  connections,
  rssBytesEach: Math.round((after.rss - before.rss) / connections),
  heapBytesEach: Math.round((after.heapUsed - before.heapUsed) / connections),
  externalBytesEach: Math.round((after.external - before.external) / connections),
  connectMs: Math.round(connectMs),
  oneVersionToAllMs: Math.round(publishMs),
  idleCpuPercent: Number(((user + system) / 15_000_000) * 100).toFixed(1),
})
clients.kill()
await realtime.close()
await running.close(0)
await database.close()
await operator.end()
await issuer.close()
await server.stop()

/** Memory once the garbage of what came before is gone. */
async function settled(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 5; round += 1) {
    global.gc?.()
    await delay(200)
  }
  return process.memoryUsage()
}

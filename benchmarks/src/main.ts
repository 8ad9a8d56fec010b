/**
 * `pnpm bench`: the demo host beside a bare server over the same data, in one run, turn by turn.
 * Prints a table and ends with status 0 whatever it shows: it measures, a person judges.
 */
import { parseArgs } from 'node:util'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { type PostgresServer, startPostgres } from '@vertical-kit/dev-services'
import { type BenchmarkCase, cases, listNotes } from './cases.ts'
import { type DataSize, fillDatabase } from './data.ts'
import { alternate, drive, median, medianRatio, type Target } from './measure.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const { values: options } = parseArgs({
  options: {
    parents: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', multiple: true, default: [] },
  },
})
const rounds = Number(options.rounds)
const load = { connections: Number(options.connections), seconds: Number(options.seconds) }
// Built, as it is deployed: stripping types at start would count as the host's memory.
const hostScript = new URL('../../apps/demo-host/dist/main.js', import.meta.url)
const bareScript = new URL('./bare-server.ts', import.meta.url)

const issuer = await startTestIssuer()
const token = await issuer.token({ subject: 'clerk', name: 'Clerk', email: 'clerk@example.com' })
const authorized = { authorization: `Bearer ${token}` }
const server = await startPostgres({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB' },
})

interface Setup {
  readonly host: ServerProcess
  readonly databaseUrl: string
  readonly parents: readonly string[]
}

/** A host over a database of its own, filled while the host is up: it has migrated and seeded it. */
async function setUp(postgres: PostgresServer, name: string, size: DataSize): Promise<Setup> {
  await postgres.createDatabase(name)
  const databaseUrl = postgres.url(name)
  const host = await startServer(hostScript, {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'warn',
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    // Nothing here contacts the store: lists and counts are the database's.
    Attachments__Storage__InternalEndpoint: 'http://127.0.0.1:9',
    Attachments__Storage__PublicEndpoint: 'http://127.0.0.1:9',
    Attachments__Storage__AllowInsecureHttp: 'true',
    Attachments__Storage__AccessKey: 'bench',
    Attachments__Storage__SecretKey: 'bench',
  })
  return { host, databaseUrl, parents: await fillDatabase(databaseUrl, size) }
}

async function compareThroughput(one: BenchmarkCase, host: Target, bare: Target, parents: readonly string[]) {
  const requests = one.requests(parents)
  const comparison = await alternate(
    rounds,
    () => drive(host, requests, load),
    () => drive(bare, requests, load),
  )
  const ratio = medianRatio(comparison, (sample) => sample.requestsPerSecond)
  return {
    case: one.name,
    'host /s': Math.round(median(comparison.a.map((sample) => sample.requestsPerSecond))),
    'bare /s': Math.round(median(comparison.b.map((sample) => sample.requestsPerSecond))),
    ratio: Number(ratio.toFixed(2)),
    target: `≥ ${one.target}`,
    met: ratio >= one.target ? 'yes' : `short by ${(one.target - ratio).toFixed(2)}`,
  }
}

/** One connection, so that latency is the request's own and not the queue's. */
async function compareLatency(large: Setup, small: Setup) {
  const run = (setup: Setup) => () =>
    drive({ url: setup.host.url, headers: authorized }, listNotes.requests(setup.parents), {
      connections: 1,
      seconds: load.seconds,
    })
  const comparison = await alternate(rounds, run(large), run(small))
  // Per request, from the throughput of one connection: finer than a histogram of whole milliseconds.
  const ratio = medianRatio(comparison, (sample) => 1 / sample.requestsPerSecond)
  return {
    case: 'list notes, 1,000,000 rows against 10,000',
    'large ms': Number((1000 / median(comparison.a.map((sample) => sample.requestsPerSecond))).toFixed(3)),
    'small ms': Number((1000 / median(comparison.b.map((sample) => sample.requestsPerSecond))).toFixed(3)),
    ratio: Number(ratio.toFixed(2)),
    target: '≤ 1.2',
    met: ratio <= 1.2 ? 'yes' : `over by ${(ratio - 1.2).toFixed(2)}`,
  }
}

const perParent = { notesPerParent: 50, attachmentsPerParent: 50 }
const large = await setUp(server, 'bench_large', { parents: Number(options.parents), ...perParent })
const idleMegabytes = large.host.residentBytes() / 1024 / 1024
const small = await setUp(server, 'bench_small', { parents: 200, ...perParent })
const bare = await startServer(bareScript, { DATABASE_URL: large.databaseUrl })

const chosen = cases.filter((one) => options.only.length === 0 || options.only.includes(one.name))
const throughput = []
const latency = options.only.length === 0 ? [await compareLatency(large, small)] : []
for (const one of chosen) {
  throughput.push(
    await compareThroughput(
      one,
      { url: large.host.url, headers: authorized },
      { url: bare.url, headers: {} },
      large.parents,
    ),
  )
}
console.log(
  `\n${rounds} rounds of ${load.seconds} s each, A B A B, ${load.connections} connections; medians\n`,
)
console.table(throughput)
console.table(latency)
console.table([
  {
    case: 'resident memory of the idle host',
    MB: Math.round(idleMegabytes),
    target: '≤ 150',
    met: idleMegabytes <= 150 ? 'yes' : `over by ${Math.round(idleMegabytes - 150)}`,
  },
])

await Promise.all([large.host.stop(), small.host.stop(), bare.stop()])
await server.stop()
await issuer.close()

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../vitest.free-port.ts'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { dataFolder } from '../demo-process.ts'
import { openDeployment } from '../work-center/hosts.ts'
import { haScript, startCluster } from './cluster.ts'

const { missing, isRequired } = findOptionalPrograms().patroni

test.skipIf(missing.length > 0 && !isRequired)(
  'after a crash of the primary, a pool writes to the promoted standby, which has every acknowledged row',
  async () => {
    const cluster = await startCluster()
    onTestFinished(() => cluster.stop())
    expect(await filesOfProcesses(cluster.folder)).toEqual(['etcd', 'node1', 'node2'])
    const { DATABASE_URL: url = '', DATABASE_READ_URL: readUrl = '' } = cluster.environment
    const database = createDatabase({
      ...databaseDefaults,
      ...{ url, readUrl, pooler: 'transaction', preparedStatements: false },
    })
    onTestFinished(() => database.close())
    await database.statement((tx) => tx.execute(sql`create table public.rows (id integer primary key)`))

    const acknowledged: number[] = []
    const stop = new AbortController()
    const writing = write(database, { acknowledged, signal: stop.signal })
    await cluster.healthy()
    await cluster.failPrimary('crash')
    const count = acknowledged.length
    await expect.poll(() => acknowledged.length, { timeout: 15_000 }).toBeGreaterThan(count)
    stop.abort()
    await writing
    const rows = await database.read((db) => db.execute<{ id: number }>(sql`select id from public.rows`))
    const stored = new Set(rows.map(({ id }) => id))
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  },
)

test('ha stop ends etcd after all other processes', async () => {
  const { path: folder, remove } = await dataFolder()
  onTestFinished(() => remove())
  await mkdir(join(folder, 'run'))
  await writeFile(join(folder, 'cluster'), 'base_port=7400 nodes=2 etcd_members=1\n')
  const names = ['etcd1', 'patroni1', 'haproxy']
  const ended: string[] = []
  const startProcess = async (name: string): Promise<void> => {
    // `ha` recognizes a process by the name in its command line. Like the real one, Patroni needs time to stop.
    const seconds = name === 'patroni1' ? 1 : 0
    const code = `trap 'sleep ${seconds}; exit' TERM; echo started; while true; do sleep 0.02; done`
    const child = spawn('bash', ['-c', code, name], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.once('exit', () => ended.push(name))
    await once(child.stdout, 'data')
    await writeFile(join(folder, 'run', `${name}.pid`), String(child.pid))
  }
  await Promise.all(names.map(startProcess))
  await promisify(execFile)(haScript, ['stop', '--data', folder])
  await expect.poll(() => ended).toHaveLength(names.length)
  expect(ended.at(-1)).toBe('etcd1')
  expect(await readdir(join(folder, 'run'))).toEqual([])
})

test.skipIf(missing.length > 0 && !isRequired)(
  'HAProxy with the shipped example answers 503 with Retry-After until a host is ready, then uses it',
  async () => {
    const deployment = await openDeployment()
    onTestFinished(() => deployment.close())
    const hostPort = await freePort()
    const url = await startHttpBalancer(hostPort)
    const refused = await fetch(`${url}/health/live`)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(refused.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await refused.json()).toMatchObject({ status: 503, code: 'service.unavailable' })

    await deployment.openReplica({ PORT: String(hostPort) })
    const status = async () => (await fetch(`${url}/health/live`)).status
    await expect.poll(status, { timeout: 10_000 }).toBe(200)
  },
)

/** Starts HAProxy with the shipped example, and waits until it has found that none of its three hosts runs. */
async function startHttpBalancer(hostPort: number): Promise<string> {
  const folder = await dataFolder()
  const port = await freePort()
  const example = await readFile(new URL('../../../../deploy/ha/haproxy-http.cfg', import.meta.url), 'utf8')
  const file = join(folder.path, 'haproxy.cfg')
  const config = example
    .replace('bind 127.0.0.1:8000', `bind 127.0.0.1:${port}`)
    .replace(/(server host1) .*/, `$1 127.0.0.1:${hostPort}`)
    .replace(/(server host[23]) .*/g, '$1 127.0.0.1:1')
  await writeFile(file, config)
  const balancer = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(balancer, 'close')
  onTestFinished(async () => {
    balancer.kill('SIGKILL')
    await ended
    await folder.remove()
  })
  let output = ''
  for await (const chunk of balancer.stderr.iterator({ destroyOnReturn: false })) {
    output += String(chunk)
    if (output.includes("backend 'hosts' has no server available")) return `http://127.0.0.1:${port}`
  }
  throw new Error(`HAProxy ended: ${output}`)
}

/** Writes rows until the signal is aborted. A refusal must be 503, and its outcome is unknown. */
async function write(
  database: Database,
  { acknowledged, signal }: { readonly acknowledged: number[]; readonly signal: AbortSignal },
): Promise<void> {
  for (let id = 1; !signal.aborted; id += 1) {
    await database
      .statement((tx) => tx.execute(sql`insert into public.rows (id) values (${id})`))
      .then(
        () => acknowledged.push(id),
        (error: unknown) => expect(error).toMatchObject({ code: 'service.unavailable' }),
      )
  }
}

/**
 * Checks the folder of a cluster and returns the files in it that belong to the user of the processes. The script runs as root
 * and reads the others: a process that is taken over must not change them.
 */
async function filesOfProcesses(folder: string): Promise<readonly string[]> {
  const parent = await stat(folder)
  expect([parent.uid, parent.mode & 0o022]).toEqual([process.getuid?.(), 0])
  const names = (await readdir(folder)).toSorted()
  const owners = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).uid))
  return names.filter((_, index) => owners[index] !== process.getuid?.())
}

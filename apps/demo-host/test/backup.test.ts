import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startPostgres } from '@vertical-kit/dev-services'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findOptionalPrograms, postgres15Folder } from '../../../vitest.optional-programs.ts'
import { execute } from './actions.ts'
import { expectAnswer } from './answers.ts'
import { type Demo, dataFolder, sharedParts, startDemo } from './demo-process.ts'
import { runDoctor } from './run-doctor.ts'
import { draftSales } from './trade/actions/documents.ts'
import { attach, download, targetQuery } from './uploads.ts'

const { missing, isRequired } = findOptionalPrograms()['postgres-15']
const run = promisify(execFile)
const auditScript = fileURLToPath(new URL('../src/audit.ts', import.meta.url))

/** Seals and anchors each event as soon as possible. */
const sealing = {
  Audit__SealDelay: '00:00:00',
  Audit__SealInterval: '00:00:01',
  Audit__AnchorInterval: '00:00:01',
}

test.skipIf(missing.length > 0 && !isRequired)(
  'a dump that is restored beside a newer bucket has everything from before it, and its host works',
  async () => {
    const server = await startPostgres({ binaries: postgres15Folder })
    onTestFinished(() => server.stop('immediate'))
    for (const name of ['original', 'restored']) await server.createDatabase(name)
    const folder = await dataFolder()
    onTestFinished(() => folder.remove())
    const open = async (database: string): Promise<Demo> => {
      const demo = await startDemo({
        ...sealing,
        DEMO_DATA_DIR: folder.path,
        DATABASE_URL: server.url(database),
      })
      onTestFinished(async () => void (await demo.stop()))
      return demo
    }

    const original = await open('original')
    const clerk = await original.as('clerk')
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const target = { kind: 'Document', typeCode: invoice.typeCode, id: invoice.id }
    const fileOf = (text: string) => ({
      fileName: `${text}.txt`,
      contentType: 'text/plain',
      bytes: Buffer.from(text),
    })
    const kept = await attach(clerk, target, fileOf('kept'))
    await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: 'kept' } }), 201)
    const post = { expectedVersion: 1, key: randomUUID() }
    const posted = await expectAnswer(execute(clerk, invoice, 'post', post), 200)
    const anchor = await vi.waitUntil(() => newestAnchor(original), { timeout: 60_000 })

    const dump = join(folder.path, 'dump')
    await run(join(postgres15Folder, 'pg_dump'), ['--format=custom', '--file', dump, server.url('original')])
    const lost = await attach(clerk, target, fileOf('lost'))
    expect(await original.stop()).toBe(0)
    const restore = ['--exit-on-error', '--dbname', server.url('restored'), dump]
    await run(join(postgres15Folder, 'pg_restore'), restore)

    const restored = await open('restored')
    const reader = await restored.as('clerk')
    const file = await download(reader, `/api/attachments/${kept.id}/download`)
    expect(await file.text()).toBe('kept')
    await expectAnswer(reader('POST', `/api/attachments/${lost.id}/download`), 404, 'attachments.not_found')
    const notes = await expectAnswer(reader('GET', `/api/notes?${targetQuery(target)}`), 200)
    expect(notes.items).toMatchObject([{ text: 'kept' }])
    expect(await expectAnswer(execute(reader, invoice, 'post', post), 200)).toEqual(posted)
    await attach(reader, target, fileOf('new'))

    const environment = { DEMO_DATA_DIR: folder.path, DATABASE_URL: server.url('restored') }
    expect(await runDoctor([], { environment: { ...environment, ...sharedParts(restored) } })).toMatchObject({
      status: 0,
    })
    const verify = ['--conditions=@vertical-kit/source', auditScript, 'verify', '--anchor', anchor]
    const verified = await run(process.execPath, verify, {
      env: { PATH: process.env['PATH'], ...environment },
    })
    expect(verified.stdout).toContain('Compared 1 anchor')
  },
)

const newestAnchor = (demo: Demo): string | undefined =>
  [...demo.stdout().matchAll(/"auditAnchor":"([^"]+)"/g)].at(-1)?.[1]

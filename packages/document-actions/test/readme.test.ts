import { readFile } from 'node:fs/promises'
import { newId } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { createDocument, DocumentActionsError, type StoredDocument } from '@vertical-kit/document-actions'
import type { EditorState, ExecutionResult } from '@vertical-kit/document-actions/contract'
import * as v from 'valibot'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startReadmeExample } from '../../../vitest.readme-example.ts'
import { expectJson, refusalOf } from './harness.ts'

const packageFolder = new URL('..', import.meta.url)

type Request = (method: 'GET' | 'POST', path: string, given?: RequestGiven) => Promise<Response>
interface RequestGiven {
  readonly key?: string
  readonly body?: object
}

/** Runs the README example with a new database. Returns the requests of an administrator and a draft lease. */
async function openExample(): Promise<{ readonly request: Request; readonly lease: StoredDocument }> {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const fresh = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => fresh.drop())
  const { url } = await startReadmeExample(packageFolder, {
    DATABASE_URL: fresh.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
  })
  const token = await issuer.token({ subject: 'ada', name: 'Ada Admin', roles: ['platform-admin'] })
  return {
    lease: await addLease(fresh.url),
    request: (method, path, { key, body } = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  }
}

/** Creates a draft like the routes of a vertical do. */
async function addLease(databaseUrl: string): Promise<StoredDocument> {
  const database = createDatabase({ ...databaseDefaults, url: databaseUrl })
  try {
    return await database.transaction((tx) =>
      createDocument(tx, {
        id: newId(),
        type: { typeCode: 'property.lease', fields: v.looseObject({}) },
        number: 'L-1',
        display: 'Lease L-1',
        fields: { tenant: 'Tess', rent: '900.00' },
      }),
    )
  } finally {
    await database.close()
  }
}

const reasonsOf = ({ actions }: Pick<EditorState, 'actions'>) =>
  Object.fromEntries(
    actions.map(({ code, disabledReasons }) => [code, disabledReasons.map((reason) => reason.code)]),
  )

test('the README example runs as shown: a lease is posted, its rent is raised and invoiced once', async () => {
  const { request, lease } = await openExample()
  const path = `/api/documents/property.lease/${lease.id}`
  const execute = (action: string, body: object, key: string = newId()) =>
    request('POST', `${path}/actions/${action}`, { key, body })

  const draft = await expectJson<EditorState>(await request('GET', `${path}/editor-state`), 200)
  expect(draft).toMatchObject({ document: { number: 'L-1', status: 'Draft' }, documentVersion: 1 })
  expect(reasonsOf(draft)).toEqual({
    post: [],
    unpost: ['document.not_posted'],
    mark_for_deletion: [],
    unmark_for_deletion: ['document.not_marked_for_deletion'],
    'property.raise_rent': ['property.lease_not_posted'],
    'property.invoice_rent': [],
  })

  const posted = await expectJson<ExecutionResult>(await execute('post', { expectedVersion: 1 }), 200)
  expect(posted).toMatchObject({ document: { status: 'Posted' }, documentVersion: 2 })
  expect(reasonsOf(posted)).toMatchObject({ post: ['document.already_posted'], 'property.raise_rent': [] })

  const raise = { expectedVersion: 2, payload: { rent: '950.00' } }
  expect(await refusalOf(await execute('property.raise_rent', raise))).toMatchObject({
    status: 400,
    code: 'document_action.reason_required',
  })
  const raised = await execute('property.raise_rent', { ...raise, reason: 'The index rose.' })
  expect(await expectJson(raised, 200)).toMatchObject({
    document: { payload: { fields: { tenant: 'Tess', rent: '950.00' } } },
    documentVersion: 3,
  })

  const invoicing = ['property.invoice_rent', { expectedVersion: 3 }, newId()] as const
  const invoiced = await execute(...invoicing)
  expect(invoiced.headers.get('Idempotent-Replayed')).toBeNull()
  const result = await expectJson<ExecutionResult>(invoiced, 200)
  expect(result.createdDocument).toMatchObject({
    typeCode: 'property.invoice',
    display: 'Rent of L-1',
    status: 'Draft',
    payload: { fields: { amount: '950.00' } },
  })
  const repeated = await execute(...invoicing)
  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true')
  expect(await expectJson(repeated, 200)).toEqual(result)
  const invoice = `/api/documents/property.invoice/${result.createdDocument?.id}/editor-state`
  expect(reasonsOf(await expectJson<EditorState>(await request('GET', invoice), 200))).toEqual({
    post: [],
    unpost: ['document.not_posted'],
  })

  const target = new URLSearchParams({ kind: 'Document', typeCode: 'property.lease', objectId: lease.id })
  const timeline = await request('GET', `/api/audit/events?${target}`)
  const { items } = await expectJson<{ items: readonly object[] }>(timeline, 200)
  expect(items).toHaveLength(3)
  expect(items).toMatchObject([
    {
      actionCode: 'property.invoice_rent',
      metadata: { createdDocument: { id: result.createdDocument?.id } },
    },
    {
      actionCode: 'property.raise_rent',
      actor: { displayName: 'Ada Admin' },
      metadata: { reason: 'The index rose.' },
      changes: [{ fieldPath: 'fields.rent', oldValue: '900.00', newValue: '950.00' }],
    },
    { actionCode: 'post', changes: [{ fieldPath: 'status', oldValue: 'Draft', newValue: 'Posted' }] },
  ])
})

test('the README example creates at most twelve invoices per lease', async () => {
  const { request, lease } = await openExample()
  const path = `/api/documents/property.lease/${lease.id}`
  for (let version = 1; version <= 12; version += 1) {
    const body = { expectedVersion: version }
    const invoiced = await request('POST', `${path}/actions/property.invoice_rent`, { key: newId(), body })
    expect(invoiced.status).toBe(200)
  }
  const state = await expectJson<EditorState>(await request('GET', `${path}/editor-state`), 200)
  expect(reasonsOf(state)).toMatchObject({ 'property.invoice_rent': ['property.year_invoiced'] })
})

test('the README contains all headings and every error code of the package', async () => {
  const readme = await readFile(new URL('README.md', packageFolder), 'utf8')
  expect([...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'What it is',
    'Mount it',
    'Routes',
    'Errors',
    'Options',
    'Tables',
    'What it does not do',
  ])
  const missing = Object.keys(DocumentActionsError.table).filter((code) => !readme.includes(`\`${code}\``))
  expect(missing).toEqual([])
})

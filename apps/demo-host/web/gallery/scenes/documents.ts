import type {
  Document,
  DocumentAction,
  DryRunResult,
  EditorState,
  ExecutionResult,
} from '@vertical-kit/ui-client'
import { part, press, question } from '../act.ts'
import { type Answers, failing, forbidden, never, refused, unreachable } from '../answers.ts'
import { everything, idOf, invoice, long, minutesAgo, page, people } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'
import { auditEvent } from './timeline.ts'

const document: Document = {
  ...{
    id: invoice.id,
    typeCode: invoice.typeCode,
    number: 'SI-2026-0042',
    display: 'SI-2026-0042 Bright Bikes Ltd',
  },
  status: 'Draft',
  payload: { fields: {} },
  createdAtUtc: minutesAgo(600),
  updatedAtUtc: minutesAgo(60),
}

const action = (
  order: number,
  code: string,
  label: string,
  more: Partial<DocumentAction> = {},
): DocumentAction => ({
  ...{ code, label, order, description: '', icon: '', kind: 'Secondary', executionKind: 'Command' },
  ...{ confirmation: null, target: null, isAllowed: true, disabledReasons: [] },
  ...more,
})

const post = action(1, 'post', 'Post', {
  kind: 'Primary',
  confirmation: {
    mode: 'Confirm',
    title: 'Post this invoice?',
    message: 'The invoice becomes part of the ledger.',
    confirmLabel: 'Post',
  },
})
const unpost = action(2, 'unpost', 'Unpost', {
  isAllowed: false,
  disabledReasons: [
    {
      code: 'not_posted',
      message: 'The invoice is not posted.',
      remedy: { actionCode: 'post', message: 'Post it first.' },
    },
  ],
})
const writeOff = action(3, 'write_off', 'Write off', {
  kind: 'Dangerous',
  confirmation: {
    mode: 'RequireReason',
    title: 'Write off the outstanding amount?',
    message: 'The customer no longer owes € 1,250.00.',
    confirmLabel: 'Write off',
  },
})
const derive = action(4, 'create_payment', 'Create payment', { executionKind: 'Derivation' })
const few = [post, unpost, writeOff, derive]
const many = [
  ...few,
  action(5, 'remind', long.words, { kind: 'Primary' }),
  action(6, 'remind_arabic', long.arabic),
  action(7, 'split', long.word, { ...unpost, code: 'split', label: long.word }),
]

const stateOf = (actions: DocumentAction[]): EditorState => ({ document, documentVersion: 3, actions })

const executed: ExecutionResult = {
  ...{ executionId: idOf(70), actionCode: 'post', documentVersion: 4, workCenterMayChange: false },
  ...{ document: { ...document, status: 'Posted' }, actions: few, createdDocument: null },
}

const preview: DryRunResult = {
  ...{ document: { ...document, status: 'Posted' }, documentVersion: 4, actions: few, createdDocument: null },
  effects: { accountingEntries: [{}, {}, {}], registerMovements: [{}] },
}

const shared: Answers = {
  ...everything,
  'GET /api/documents/*/*/editor-state': () => stateOf(few),
  'GET /api/documents/*/*/actions/*/who': () => ({ roles: [{ code: 'finance', name: 'Finance' }] }),
  'POST /api/documents/*/*/actions/*?dryRun': () => preview,
  'POST /api/documents/*/*/actions/*': () => executed,
  'GET /api/audit/events': () => ({ ...page([auditEvent(1, { actionCode: 'unpost' })]), references: {} }),
}

const about = { documentType: invoice.typeCode, documentId: invoice.id }
const conflict = refused(409, 'documents.version_conflict', 'The document has changed since you loaded it.', {
  expectedVersion: 3,
  actualVersion: 4,
})

export const actionsScenes = scenesOf(
  'vk-document-actions',
  { answers: shared, properties: about },
  {
    loading: { title: 'Loading', answers: { 'GET /api/documents/*/*/editor-state': never } },
    empty: { title: 'No actions', answers: { 'GET /api/documents/*/*/editor-state': () => stateOf([]) } },
    few: { title: 'Available and unavailable actions' },
    many: {
      title: 'More actions than fit, with the menu open',
      answers: { 'GET /api/documents/*/*/editor-state': () => stateOf(many) },
      setup: ({ element }) => press(element, '.more'),
    },
    failed: { title: 'Loading failed', answers: { 'GET /api/documents/*/*/editor-state': failing } },
    offline: {
      title: 'The service cannot be reached',
      answers: { 'GET /api/documents/*/*/editor-state': unreachable },
    },
    refused: {
      title: 'The user may not see the document',
      answers: { 'GET /api/documents/*/*/editor-state': forbidden },
    },
    confirm: {
      title: 'A confirmation with its consequences',
      setup: async ({ element }) => {
        await press(element, '.bar [data-action="post"]')
        await question(element)
      },
    },
    reason: {
      title: 'An action that requires a reason',
      answers: {
        'GET /api/documents/*/*/editor-state': () => stateOf([writeOff]),
        'POST /api/documents/*/*/actions/*?dryRun': conflict,
      },
      setup: async ({ element }) => {
        await press(element, '.bar [data-action="write_off"]')
        const dialog = await question(element)
        dialog.querySelector('form')?.requestSubmit()
      },
    },
    busy: {
      title: 'An action in progress',
      answers: { 'POST /api/documents/*/*/actions/*': never },
      setup: ({ element }) => void element.store?.execute('post'),
    },
    conflict: {
      title: 'The document has changed',
      answers: { 'POST /api/documents/*/*/actions/*': conflict },
      setup: ({ element }) => element.store?.execute('post'),
    },
    uncertain: {
      title: 'No response: the outcome is unknown',
      answers: { 'POST /api/documents/*/*/actions/*': unreachable },
      setup: ({ element }) => element.store?.execute('post'),
    },
  },
)

export const takeActionScenes = scenesOf(
  'vk-take-action',
  { answers: shared, properties: { ...about, actionCode: 'post', label: 'Post', about: 'SI-2026-0042' } },
  {
    few: { title: 'Before the click' },
    loading: {
      title: 'Loading the document',
      answers: { 'GET /api/documents/*/*/editor-state': never },
      setup: ({ element }) => void element.take(),
    },
    confirm: {
      title: 'A confirmation',
      setup: async ({ element }) => {
        void element.take()
        await question(element)
      },
    },
    unavailable: {
      title: 'The action is unavailable',
      properties: { actionCode: 'unpost' },
      setup: ({ element }) => element.take(),
    },
    refused: {
      title: 'The user may not perform the action',
      properties: { actionCode: 'repost' },
      setup: ({ element }) => element.take(),
    },
    offline: {
      title: 'The service cannot be reached',
      answers: { 'GET /api/documents/*/*/editor-state': unreachable },
      setup: ({ element }) => element.take(),
    },
  },
)

const selection = [
  { id: idOf(1), expectedVersion: 1, name: 'SI-2026-0011 Bright Bikes Ltd' },
  { id: idOf(2), expectedVersion: 2, name: `SI-2026-0012 ${people.long.displayName}` },
  { id: idOf(3), expectedVersion: 1, name: `SI-2026-0013 ${people.arabic.displayName}` },
]
const batchAction = { ...post, confirmation: null }

export const batchScenes = scenesOf(
  'vk-document-batch',
  {
    answers: shared,
    properties: { documentType: invoice.typeCode, actions: [batchAction, derive], selection },
  },
  {
    selected: { title: 'Selected documents' },
    busy: {
      title: 'A batch in progress',
      answers: { 'POST /api/documents/*/actions/*/batch': never },
      setup: ({ element }) => press(element, '[data-action="post"]'),
    },
    partial: {
      title: 'Some documents failed',
      answers: {
        'POST /api/documents/*/actions/*/batch': () => ({
          results: selection.map(({ id }, index) =>
            index === 0
              ? { id, status: 200, result: executed }
              : {
                  id,
                  status: 409,
                  problem: {
                    ...{ type: 'about:blank', title: 'Conflict', status: 409, requestId: 'req-gallery' },
                    code: 'documents.version_conflict',
                    detail: 'The document has changed since you loaded it.',
                  },
                },
          ),
        }),
      },
      setup: async ({ element }) => {
        await press(element, '[data-action="post"]')
        await part(element, '.banner')
      },
    },
    offline: {
      title: 'No response: the outcome is unknown',
      answers: { 'POST /api/documents/*/actions/*/batch': unreachable },
      setup: async ({ element }) => {
        await press(element, '[data-action="post"]')
        await part(element, '.banner')
      },
    },
  },
)

import type { Attachment } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { part, press, question, until } from '../act.ts'
import { failing, forbidden, inTurn, never, refused, unreachable } from '../answers.ts'
import {
  accessWith,
  everything,
  idOf,
  invoice,
  long,
  minutesAgo,
  page,
  people,
  several,
} from '../fixtures.ts'
import { type Stage, scenesOf } from '../scene.ts'

const file = (number: number, more: Partial<Attachment> = {}): Attachment => ({
  id: idOf(number),
  target: invoice,
  fileName: `delivery-note-${number}.pdf`,
  contentType: 'application/pdf',
  sizeBytes: 84_000 * number,
  status: 'ready',
  createdAtUtc: minutesAgo(number * 70),
  createdByUserId: people.carl.userId,
  createdByDisplayName: people.carl.displayName,
  completedAtUtc: minutesAgo(number * 70),
  sha256: null,
  ...more,
})

const few = [
  file(1),
  file(2, { fileName: 'photo of the damage.jpg', contentType: 'image/jpeg', sizeBytes: 3_400_000 }),
  file(3, { fileName: 'prices.xlsx', contentType: 'application/vnd.ms-excel' }),
]

const many = [
  file(1, {
    fileName: `${long.word}-${long.word}-final-version-2.pdf`,
    createdByDisplayName: people.long.displayName,
  }),
  file(2, { fileName: 'فاتورة العميل.pdf', createdByDisplayName: people.arabic.displayName }),
  file(3, { fileName: 'recording.mkv', contentType: 'video/x-matroska', sizeBytes: 987_654_321_000 }),
  ...several(17, (number) => file(number + 3)),
]

const local = (name: string, type: string): File =>
  new File([new Uint8Array(name.length * 123_456)], name, { type })

/** Adds files as if the user had dropped them. */
const drop = async ({ element }: Stage<'vk-attachments'>, names: readonly string[]): Promise<void> => {
  const zone = await part(element, 'vk-drop-zone')
  const files = names.map((name) => local(name, 'application/pdf'))
  zone.dispatchEvent(new CustomEvent('vk-files', { detail: files }))
  await part(element, '.upload')
}

const draftName = (target: { readonly id: string }, name: string): string =>
  `upload/${invoice.kind}/${invoice.typeCode}/${target.id}/${Date.now().toString(36)}-${name}`

/** Stores an upload that a reload of the page has interrupted. */
const interrupt = (session: Session, target: { readonly id: string }, name: string): Promise<void> =>
  session.drafts.files.set(draftName(target, name), local(name, 'application/pdf'))

/** Stores an upload whose bytes have arrived before a reload, so that the scene sends no bytes. */
const interruptAfterTransfer = async (session: Session): Promise<void> => {
  const name = draftName(invoice, 'contract.pdf')
  session.drafts.texts.set(name, idOf(30))
  await session.drafts.files.set(name, local('contract.pdf', 'application/pdf'))
}

/** Resumes an interrupted upload. */
const resume = (element: Element) => press(element, '[data-status="interrupted"] .banner button')

const selectAll = (element: Element) => press(element, '[role="group"] input')

export const attachmentsScenes = scenesOf(
  'vk-attachments',
  { answers: { ...everything, 'GET /api/attachments': () => page(few) }, properties: { target: invoice } },
  {
    loading: { title: 'Loading', answers: { 'GET /api/attachments': never } },
    empty: { title: 'No files', answers: { 'GET /api/attachments': () => page([]) } },
    few: { title: 'Some files' },
    many: {
      title: 'Twenty files with long names',
      answers: { 'GET /api/attachments': () => page(many, 'next') },
    },
    failed: { title: 'Loading failed', answers: { 'GET /api/attachments': failing } },
    offline: { title: 'The service cannot be reached', answers: { 'GET /api/attachments': unreachable } },
    refused: {
      title: 'The service refuses to list the files',
      answers: { 'GET /api/attachments': forbidden },
    },
    'read-only': {
      title: 'The user may only read',
      answers: { 'GET /api/security/me/access': () => accessWith(['system.attachments.read']) },
    },
    'create-only': {
      title: 'The user may only upload',
      answers: { 'GET /api/security/me/access': () => accessWith(['system.attachments.create']) },
    },
    selected: { title: 'Selected files', setup: ({ element }) => selectAll(element) },
    deleting: {
      title: 'Confirming a deletion',
      setup: async ({ element }) => {
        await selectAll(element)
        await press(element, '[role="group"] button:last-of-type')
      },
    },
    'same-name': {
      title: 'A file with this name exists',
      setup: async (stage) => {
        const zone = await part(stage.element, 'vk-drop-zone')
        zone.dispatchEvent(new CustomEvent('vk-files', { detail: [local('prices.xlsx', 'text/csv')] }))
        await question(stage.element)
      },
    },
    uploading: {
      title: 'Uploads in progress and waiting',
      answers: { 'POST /api/attachments/uploads': never },
      setup: (stage) => drop(stage, ['offer.pdf', `${long.word}.pdf`, 'terms.pdf', 'map.pdf', 'plan.pdf']),
    },
    'upload-failed': {
      title: 'Failed uploads',
      answers: {
        'POST /api/attachments/uploads': inTurn(
          refused(400, 'attachments.file_too_large', 'The file is too large.', { maxSizeBytes: 26_214_400 }),
          failing,
        ),
      },
      setup: async (stage) => {
        await drop(stage, ['model.step', 'offer.pdf'])
        await until(
          'failures',
          () => stage.element.shadowRoot?.querySelectorAll('[data-status="failed"]').length === 2,
        )
      },
    },
    interrupted: {
      title: 'An upload that a reload has interrupted',
      prepare: (session) => interrupt(session, invoice, 'contract.pdf'),
      setup: ({ element }) => part(element, '[data-status="interrupted"]'),
    },
    scanning: {
      title: 'An upload that is checked for malware',
      answers: {
        'POST /api/attachments/*/complete': () => file(30, { status: 'scanning', completedAtUtc: null }),
      },
      prepare: interruptAfterTransfer,
      setup: async ({ element }) => {
        await resume(element)
        await part(element, '[data-status="scanning"]')
      },
    },
    quarantined: {
      title: 'An upload that contains malware',
      answers: {
        'POST /api/attachments/*/complete': refused(
          409,
          'attachments.quarantined',
          'The file contains malware and is quarantined.',
        ),
      },
      prepare: interruptAfterTransfer,
      setup: async ({ element }) => {
        await resume(element)
        await part(element, '[data-status="failed"]')
      },
    },
    'download-failed': {
      title: 'A download failed',
      answers: {
        'POST /api/attachments/*/download': refused(
          503,
          'attachments.storage_unavailable',
          'The file storage cannot be reached. Try again.',
        ),
      },
      setup: ({ element }) => press(element, 'li .link'),
    },
  },
)

const other = { ...invoice, id: idOf(901) }

export const uploadsScenes = scenesOf(
  'vk-uploads',
  { answers: everything },
  {
    stopped: {
      title: 'An upload has stopped',
      prepare: (session) => interrupt(session, invoice, 'contract.pdf'),
      setup: ({ element }) => part(element, '.stopped'),
    },
    several: {
      title: 'Uploads of several objects',
      prepare: async (session) => {
        await interrupt(session, invoice, 'contract.pdf')
        await interrupt(session, other, `${long.word}.pdf`)
      },
      setup: ({ element }) => press(element, 'button'),
    },
  },
)

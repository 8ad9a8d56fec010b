import { completeUppyUploads, uppyAwsS3Options } from '@vertical-kit/ui-client/uppy'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signIn, targetOf } from '../signed-in.ts'
import { type AttachmentsStage, openAttachmentsStage } from './attachments-stage.ts'
import { openDesk } from './documents-stage.ts'
import { createHeldScanner } from './held-scanner.ts'

let stage: AttachmentsStage
const scanner = createHeldScanner()
const clean = { isClean: true } as const

beforeAll(async () => {
  stage = await openAttachmentsStage({}, { scanner: scanner.scan })
})
afterAll(() => stage.close())
afterEach(() => scanner.decide(clean))
scanner.decide(clean)

const file = { id: 'uppy-report', name: 'report.txt', type: 'text/plain', size: 3 }

/** Resolves when the service has scanned the file. The client under test sends no request. */
async function untilScanned(id: string): Promise<void> {
  const { client } = await signIn(stage.host, 'clerk')
  const ask = () =>
    client.attachments.complete(id).then(
      ({ status }) => status,
      ({ code }: { code: string }) => code,
    )
  await expect.poll(ask).not.toBe('scanning')
}

/** Plays the part of Uppy: signs the request for a file, sends the bytes, and calls the post-processor. */
async function open(sentBytes: string, onWait = async () => {}) {
  const desk = await openDesk(stage.host, 'clerk')
  const { client } = desk
  const target = targetOf(await stage.host.addInvoice())
  const options = uppyAwsS3Options(client, target)
  let key = ''
  let complete = async (_fileIds: string[]): Promise<void> => {}
  let isRemoved = false
  const failures: Error[] = []
  completeUppyUploads(
    {
      getFile: () =>
        isRemoved ? undefined : { ...file, progress: { bytesTotal: file.size }, response: { body: { key } } },
      setFileState: () => {},
      addPostProcessor: (process) => {
        complete = process
      },
      emit: (_event, _file, error) => failures.push(error),
    },
    client,
    {
      async wait() {
        await onWait()
        if (!isRemoved) await untilScanned(key)
      },
    },
  )
  const sign = async () => {
    const signed = await options.signRequest({ key: options.generateObjectKey(file) })
    key = signed.key
    return signed
  }
  const upload = async (): Promise<string> => {
    const { url, headers } = await sign()
    await fetch(url, { method: 'PUT', headers, body: sentBytes })
    await complete([file.id])
    return key
  }
  const deletions = () => desk.gate.sent.filter((line) => line.startsWith('DELETE'))
  const completions = () => desk.gate.sent.filter((line) => line.endsWith('/complete'))
  const remove = () => {
    isRemoved = true
  }
  return { desk, target, sign, upload, remove, deletions, completions, failures }
}

test('a file that is added again does not delete its ready attachment', async () => {
  const { desk, target, upload, deletions } = await open('abc')
  const first = await upload()
  const second = await upload()
  expect(deletions()).toEqual([])
  const { items } = await desk.client.attachments.list({ target })
  expect(items.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted())
})

test('an attachment is not deleted if the response to its verification was lost', async () => {
  const { desk, upload, sign, deletions } = await open('abc')
  desk.loses = /complete$/
  await upload()
  desk.loses = null
  await sign()
  expect(deletions()).toEqual([])
})

test('an attachment that is ready is not deleted, although its verification seemed to be refused', async () => {
  const { desk, target, upload, sign } = await open('abc')
  desk.refuses = /complete$/
  const id = await upload()
  desk.refuses = null
  await untilScanned(id)
  await sign()
  const { items } = await desk.client.attachments.list({ target })
  expect(items).toMatchObject([{ id, status: 'ready' }])
})

test('a file that is sent again deletes its unused reservation', async () => {
  const { sign, upload, deletions } = await open('ab')
  const { key: unsent } = await sign()
  const refused = await upload()
  await sign()
  expect(deletions()).toEqual([unsent, refused].map((id) => expect.stringContaining(id)))
})

test('a file is complete after the service has scanned it', async () => {
  scanner.hold()
  const { desk, target, upload, failures } = await open('abc', async () => scanner.decide(clean))
  const id = await upload()
  const { items } = await desk.client.attachments.list({ target })
  expect(items).toMatchObject([{ id, status: 'ready' }])
  expect(failures).toEqual([])
})

test('a file with malware fails', async () => {
  scanner.hold()
  const finding = { isClean: false, finding: 'Eicar-Test' } as const
  const { upload, failures } = await open('abc', async () => scanner.decide(finding))
  await upload()
  expect(failures).toMatchObject([{ code: 'attachments.quarantined' }])
})

test('nothing is sent or reported for a file that is removed during its scan', async () => {
  scanner.hold()
  const { upload, remove, completions, failures } = await open('abc', async () => remove())
  await upload()
  expect([completions().length, failures]).toEqual([1, []])
})

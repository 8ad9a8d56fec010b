import { completeUppyUploads, uppyAwsS3Options } from '@vertical-kit/ui-client/uppy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { targetOf } from '../signed-in.ts'
import { type AttachmentsStage, openAttachmentsStage } from './attachments-stage.ts'
import { openDesk } from './documents-stage.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage.close())

const file = { id: 'uppy-report', name: 'report.txt', type: 'text/plain', size: 3 }

/** Plays the part of Uppy: signs the request for a file, sends the bytes, and calls the post-processor. */
async function open(sentBytes: string) {
  const desk = await openDesk(stage.host, 'clerk')
  const { client } = desk
  const target = targetOf(await stage.host.addInvoice())
  const options = uppyAwsS3Options(client, target)
  let key = ''
  let complete = async (_fileIds: string[]): Promise<void> => {}
  completeUppyUploads(
    {
      getFile: () => ({ ...file, progress: { bytesTotal: file.size }, response: { body: { key } } }),
      setFileState: () => {},
      addPostProcessor: (process) => {
        complete = process
      },
      emit: () => {},
    },
    client,
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
  return { desk, target, sign, upload, deletions }
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

test('a file that is sent again deletes its unused reservation', async () => {
  const { sign, upload, deletions } = await open('ab')
  const { key: unsent } = await sign()
  const refused = await upload()
  await sign()
  expect(deletions()).toEqual([unsent, refused].map((id) => expect.stringContaining(id)))
})

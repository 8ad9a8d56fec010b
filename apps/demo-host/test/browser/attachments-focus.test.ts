import { afterAll, beforeAll, expect } from 'vitest'
import { type AttachmentsStage, openAttachmentsStage } from './attachments-stage.ts'
import { test } from './harness.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage?.close())

test('after a deletion, the focus is on the next file, then on the previous one, then on the button that adds files', async () => {
  const target = await stage.newTarget()
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await stage.attach(target, name, Buffer.from(name))
  const { page, panel, files } = await stage.openPanel('clerk', target)
  await expect.poll(() => files.count()).toBe(3)
  const remove = async (name: string) => {
    await panel.getByRole('button', { name: `Delete ${name}` }).focus()
    await page.keyboard.press('Enter')
    await panel.getByRole('button', { name: `Delete ${name}` }).waitFor({ state: 'detached' })
  }
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement
      while (element?.shadowRoot?.activeElement != null) element = element.shadowRoot.activeElement
      return element?.textContent?.trim()
    })
  // The newest file is the first one.
  await remove('b.txt')
  await expect.poll(focused).toBe('a.txt')
  await remove('a.txt')
  await expect.poll(focused).toBe('c.txt')
  await remove('c.txt')
  await expect.poll(focused).toBe('Choose files')
})

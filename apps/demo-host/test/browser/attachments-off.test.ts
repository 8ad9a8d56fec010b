import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { mountPanel } from './attachments-stage.ts'
import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile({ FeatureManagement__Attachments: 'false' })

test('while attachments are off, the attachments panel is empty and sends no requests', async () => {
  const request = await stage.demo.as('clerk')
  const { items } = await expectAnswer(request('GET', '/api/catalogs/trade.item?limit=1'), 200)
  const target = { kind: 'CatalogItem', typeCode: 'trade.item', id: items[0]?.id ?? '' }
  const page = await stage.signIn('clerk', `/items/${target.id}`)
  const requestedPaths: string[] = []
  page.on('request', (sent) => requestedPaths.push(new URL(sent.url()).pathname))
  // When this button appears, the page has loaded the list of enabled features.
  await page.getByRole('button', { name: /^Notes/ }).waitFor()
  const panel = await mountPanel(page, target)
  const content = await panel.evaluate(async (element) => {
    await Reflect.get(element, 'updateComplete')
    return element.shadowRoot?.textContent?.trim()
  })
  expect(content).toBe('')
  expect(await page.getByRole('button', { name: /^Attachments/ }).count()).toBe(0)
  expect(requestedPaths.filter((path) => path.startsWith('/api/attachments'))).toEqual([])
})

import { expect } from 'vitest'
import { draftSales } from '../trade/actions/documents.ts'
import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile({ FeatureManagement__Attachments: 'false' })

test('the page shows no button for a disabled feature, and the other feature stays available', async () => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByRole('button', { name: 'Notes: 0' }).waitFor()
  expect(await page.getByRole('button', { name: /Attachments/ }).count()).toBe(0)
  const policy = (await fetch(stage.demo.url)).headers.get('content-security-policy')
  expect(policy).toContain(`connect-src 'self' ${stage.demo.issuer};`)
})

import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile()

test('a browser that has crashed is replaced', async () => {
  const page = await stage.open()
  await page.context().browser()?.close()
  const next = await stage.open()
  await next.locator('[data-user]').first().waitFor()
})

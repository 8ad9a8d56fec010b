import { expect } from 'vitest'
import { checkScenes, openGallery, scenesOf, tags } from './gallery-stage.ts'
import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile()

test('the gallery has scenes of every element', async () => {
  const page = await openGallery(stage)
  const all = Object.values(tags).flat()
  expect(await page.locator('h2').allTextContents()).toEqual(all)
  for (const tag of all) expect((await scenesOf(page, tag)).length).toBeGreaterThan(1)
})

// A console error also fails the test: a scene whose setup fails, or that has no answer for a request, logs one.
test.each(tags.content)(
  'axe finds nothing in the scenes of %s, and they fit in the window',
  {
    timeout: 300_000,
  },
  async (tag) => {
    expect(await checkScenes(stage, tag)).toEqual([])
  },
)

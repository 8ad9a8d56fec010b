import { expect } from 'vitest'
import { checkScenes, tags } from './gallery-stage.ts'
import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile()

test.each(tags.administration)(
  'axe finds nothing in the scenes of %s, and they fit in the window',
  {
    timeout: 300_000,
  },
  async (tag) => {
    expect(await checkScenes(stage, tag)).toEqual([])
  },
)

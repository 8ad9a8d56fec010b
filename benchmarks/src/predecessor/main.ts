/**
 * `pnpm bench:predecessor [COMMIT] [--only CASE] [--rounds N]` compares the host of this checkout with the host of its
 * predecessor, or of another commit, in alternating rounds of one run. It takes about a minute. It fails only if an endpoint has
 * lost more than 30 % and a second measurement confirms the loss. If the predecessor cannot be found, installed or started, it
 * says so and succeeds. With `--rounds`, it takes as long as it needs: more rounds show smaller differences.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../options.ts'
import { checkOut, describeCommit, findCommit, findPredecessor } from './checkout.ts'
import { compareEndpoints } from './compare-endpoints.ts'

/** After this time, a usual comparison gives up and succeeds. With a confirmation, it takes less than two minutes. */
const limitMs = 240_000

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, rounds: { type: 'string' } },
})
const rounds = values.rounds === undefined ? undefined : wholeNumber('rounds', values.rounds)
if (rounds === undefined) {
  setTimeout(() => {
    console.log('Performance: no comparison, because it did not finish in time.')
    process.exit(0)
  }, limitMs).unref()
}

const [requested] = positionals
const predecessor = await (requested === undefined ? findPredecessor() : findCommit(requested))
if (predecessor === undefined) {
  console.log(`Performance: no comparison, because the history contains no ${requested ?? 'predecessor'}.`)
} else {
  console.log(`Performance, compared with ${await describeCommit(predecessor)}`)
  const folder = await mkdtemp(join(tmpdir(), 'vertical-kit-predecessor-'))
  try {
    await checkOut(predecessor, folder)
    const { losses } = await compareEndpoints(pathToFileURL(`${folder}/`), {
      rounds,
      only: values.only,
    })
    if (losses.length > 0) {
      console.log(`Confirmed loss of more than 30 %: ${losses.join(', ')}`)
      process.exitCode = 1
    }
  } catch (error) {
    console.log(`Performance: no comparison. ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

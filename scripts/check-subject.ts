/** Checks the first line of a file with a commit message: `node scripts/check-subject.ts .git/COMMIT_EDITMSG`. */
import { readFileSync } from 'node:fs'
import { subjectProblem } from './check/commits.ts'

const [path = ''] = process.argv.slice(2)
const [subject = ''] = readFileSync(path, 'utf8').split('\n')
const problem = subjectProblem(subject)
if (problem !== undefined) {
  console.error(`The subject ${problem}. Example: Answer 503 at once when the pool is exhausted`)
  process.exitCode = 1
}

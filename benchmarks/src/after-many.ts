import { compareLatency, type Finding, type Plan } from './compare.ts'
import { editorState, execute, replay } from './endpoints.ts'
import { fillExecutions } from './fill-executions.ts'
import { openBench } from './hosts.ts'

/**
 * Compares a host that has executed many actions with a host that has executed none. Uses a disk and durable writes, like
 * a deployment. The executions do not fit into memory, so they could slow down both reads and writes.
 */
export async function compareAfterMany(plan: Plan, executionCount: number): Promise<readonly Finding[]> {
  const nameOf = (name: string) => `${name}: ${executionCount.toLocaleString('en')} executions`
  const chosen = [editorState, replay, execute].filter(({ name }) => plan.isChosen(nameOf(name)))
  if (executionCount === 0 || chosen.length === 0) return []
  const bench = await openBench({ isOnDisk: true })
  try {
    const size = { documents: plan.documents, notesPerDocument: 0, attachmentsPerDocument: 0 }
    const many = await bench.setUp('bench_many', size)
    const none = await bench.setUp('bench_none', size)
    const startedMs = performance.now()
    await fillExecutions(many.databaseUrl, executionCount)
    console.log(`filled in ${Math.round((performance.now() - startedMs) / 1_000)} s`)
    const findings: Finding[] = []
    for (const endpoint of chosen) {
      const sides = [
        { label: 'many', drive: await endpoint.open(many), target: many.host },
        { label: 'none', drive: await endpoint.open(none), target: none.host },
      ] as const
      findings.push(await compareLatency(nameOf(endpoint.name), sides, { most: 1.2, plan }))
    }
    return findings
  } finally {
    await bench.close()
  }
}

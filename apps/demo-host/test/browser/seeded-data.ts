import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { dataFolder, startDemo } from '../demo-process.ts'

/**
 * Provides all test files with sample data. A demo that starts with a copy of it needs half the time of one that starts with an
 * empty directory.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await dataFolder()
  try {
    const demo = await startDemo({ DEMO_DATA_DIR: folder.path })
    await demo.stop()
  } catch (error) {
    await folder.remove()
    throw error
  }
  project.provide('seededData', folder.path)
  return folder.remove
}

/** Copies a data directory. Keeps the owners of the files, because PostgreSQL refuses files of another user. */
export async function copyData(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${from}/.`, to])
}

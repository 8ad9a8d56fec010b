import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Mounts a disk in memory. Only root can do this. */
export async function mountMemoryDisk(
  mebibytes: number,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'drill-disk-'))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', path])
  // The account of PostgreSQL must be able to enter the folder.
  await chmod(path, 0o755)
  return {
    path,
    async remove() {
      await run('umount', [path])
      await rm(path, { recursive: true })
    },
  }
}

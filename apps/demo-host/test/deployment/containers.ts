import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const program = { build: 'buildah', run: 'podman' } as const
const repository = fileURLToPath(new URL('../../../..', import.meta.url))

/** A container that runs until it ends or is stopped. */
export interface Container {
  readonly name: string
  /** The standard output and standard error so far. */
  output(): string
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

/** The image of the host and a runtime with its own storage. */
export interface Containers {
  /** Runs the image, with a read-only file system, no capabilities, and the network of this machine. */
  run(argv: readonly string[], environment?: Readonly<Record<string, string>>): Container
  /** Runs a command of Podman. Rejects if it fails. */
  podman(...argv: readonly string[]): Promise<string>
  readonly image: string
  close(): Promise<void>
}

/**
 * Assembles the file tree with the script of the Dockerfile, and builds the Dockerfile's last stage from it. Its build
 * stage, which runs this script in an image with Node, cannot run without a registry.
 */
export async function buildImage(): Promise<Containers> {
  const folder = await mkdtemp(join(tmpdir(), 'containers-'))
  // The driver `vfs` works everywhere, but copies the whole image for each container.
  const driver = process.env['STORAGE_DRIVER'] ?? 'overlay'
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const storage = [...places, '--storage-driver', driver]
  const runtime = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--tmpdir', join(folder, 'tmp')]
  const image = 'vertical-kit-host'
  const running = new Set<ChildProcess>()
  let count = 0

  const podman = async (...argv: readonly string[]) => {
    const { stdout } = await execute(program.run, [...storage, ...runtime, ...argv])
    return stdout.trim()
  }
  const close = async () => {
    await podman('rm', '--all', '--force', '--time', '0').catch(() => {})
    for (const child of running) child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const tree = join(folder, 'build', 'image')
    await execute(join(repository, 'deploy/image/assemble.sh'), [tree], { maxBuffer: 1e8 })
    const build = [
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--build-context',
      `build=${join(folder, 'build')}`,
    ]
    await execute(program.build, [...storage, 'build', ...build, '--tag', image, repository], {
      maxBuffer: 1e8,
    })
  } catch (error) {
    await close()
    throw error
  }
  return {
    image,
    podman,
    close,
    run(argv, environment = {}) {
      count += 1
      const name = `host-${count}`
      const options = [
        ...['--rm', '--name', name, '--network', 'host', '--read-only', '--read-only-tmpfs=false'],
        ...['--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
        // Podman's defaults can exceed the limits of this process, and raising them needs a capability.
        ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
        ...Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ]
      const child = spawn(program.run, [...storage, ...runtime, 'run', ...options, image, ...argv], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      running.add(child)
      let text = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
      }
      const ended = once(child, 'close').then(([status]) => {
        running.delete(child)
        return status as number | null
      })
      return { name, output: () => text, ended }
    },
  }
}

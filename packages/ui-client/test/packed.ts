import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const packageFolder = join(root, 'packages/ui-client')
const tool = (name: string) => join(root, 'node_modules/.bin', name)

/** The packed package, as a registry would publish it. */
export interface Packed {
  /** The folder of the unpacked package. */
  readonly folder: string
  /** The manifest of the packed package. */
  readonly manifest: {
    readonly dependencies: Readonly<Record<string, string>>
    readonly peerDependencies: Readonly<Record<string, string>>
  }
  /** Creates a project of these source files. Installs the package, and the named packages of the workspace. */
  project(sources: Readonly<Record<string, string>>, installed: readonly string[]): Promise<Project>
  close(): Promise<void>
}

/** A project outside the workspace. */
export interface Project {
  /** Compiles the project and the package's declarations with all checks. Resolves with one line per error. */
  typeCheck(options: Readonly<Record<string, unknown>>): Promise<readonly string[]>
  /** Runs one of the source files. Resolves with its standard output. */
  run(source: string, ...argv: readonly string[]): Promise<string>
}

/** Builds the package, packs it with pnpm, and unpacks it. */
export async function packUiClient(): Promise<Packed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ui-client-packed-')))
  await run(tool('tsc'), ['-b', packageFolder])
  const tarball = join(folder, 'package.tgz')
  await run('pnpm', ['pack', '--silent', '--out', tarball], { cwd: packageFolder })
  await run('tar', ['-xzf', tarball, '-C', folder])
  const unpacked = join(folder, 'package')
  return {
    folder: unpacked,
    manifest: JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')),
    project: (sources, installed) => makeProject({ folder, unpacked, sources, installed }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

interface ProjectInput {
  readonly folder: string
  readonly unpacked: string
  readonly sources: Readonly<Record<string, string>>
  readonly installed: readonly string[]
}

async function makeProject({ folder, unpacked, sources, installed }: ProjectInput): Promise<Project> {
  const project = await mkdtemp(join(folder, 'project-'))
  const install = async (name: string, from: string) => {
    const to = join(project, 'node_modules', name)
    await mkdir(dirname(to), { recursive: true })
    await symlink(from, to)
  }
  await mkdir(join(project, 'node_modules/@vertical-kit'), { recursive: true })
  // Copy the package instead of linking it, because it must resolve its dependencies in this project.
  await run('cp', ['-r', unpacked, join(project, 'node_modules/@vertical-kit/ui-client')])
  for (const name of [...installed, 'idb-keyval', 'client-zip', '@microsoft/signalr']) {
    await install(name, await realpath(join(packageFolder, 'node_modules', name)))
  }
  await install('@types/node', await realpath(join(root, 'node_modules/@types/node')))
  for (const [name, text] of Object.entries(sources)) await writeFile(join(project, name), text)
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  return {
    async typeCheck(options) {
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify(tsconfig(Object.keys(sources), options)))
      const { stdout } = await run(tool('tsc'), ['-p', project, '--pretty', 'false'], { cwd: project }).catch(
        (failed: { stdout: string }) => failed,
      )
      // Ignore errors outside the project, because the published types of Vue's adapter do not compile.
      return stdout.split('\n').filter((line) => line !== '' && !/^(?: |\.\.\/)/.test(line))
    },
    run: async (source, ...argv) => (await run(process.execPath, [join(project, source), ...argv])).stdout,
  }
}

const tsconfig = (files: readonly string[], options: Readonly<Record<string, unknown>>) => ({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
    ...options,
  },
  files,
})

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const packageFolder = join(root, 'packages/ui-client')
const tsc = join(root, 'node_modules/.bin/tsc')
const path = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)))

/** The packed package, as a registry would publish it. */
export interface Packed {
  /** The folder of the unpacked package. */
  readonly folder: string
  /** The manifest of the packed package. */
  readonly manifest: {
    readonly dependencies: Readonly<Record<string, string>>
    readonly peerDependencies: Readonly<Record<string, string>>
  }
  /** Creates a project of these source files. Installs the tarball, and the named packages of the workspace. */
  project(sources: Readonly<Record<string, string>>, installed: readonly string[]): Promise<Project>
  close(): Promise<void>
}

/** A project outside the workspace. */
export interface Project {
  /** Compiles the project and the package's declarations with all checks. Resolves with one line per error. */
  typeCheck(options: Readonly<Record<string, unknown>>): Promise<readonly string[]>
  /** Compiles the project with vue-tsc, which also checks templates. */
  typeCheckTemplates(options: Readonly<Record<string, unknown>>): Promise<readonly string[]>
  /** Runs one of the source files. Resolves with its standard output. */
  run(source: string, ...argv: readonly string[]): Promise<string>
}

/** Builds the package and packs it with pnpm. */
export async function packUiClient(): Promise<Packed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ui-client-packed-')))
  await run(tsc, ['-b', packageFolder])
  const tarball = join(folder, 'package.tgz')
  await run('pnpm', ['pack', '--silent', '--out', tarball], { cwd: packageFolder })
  await run('tar', ['-xzf', tarball, '-C', folder])
  const unpacked = join(folder, 'package')
  const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as Packed['manifest']
  return {
    folder: unpacked,
    manifest,
    project: (sources, installed) => makeProject({ folder, tarball, manifest, sources, installed }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

interface ProjectInput {
  readonly folder: string
  readonly tarball: string
  readonly manifest: Packed['manifest']
  readonly sources: Readonly<Record<string, string>>
  readonly installed: readonly string[]
}

async function makeProject(input: ProjectInput): Promise<Project> {
  const { folder, sources } = input
  const project = await mkdtemp(join(folder, 'project-'))
  for (const [name, text] of Object.entries(sources)) await writeFile(join(project, name), text)
  await install(project, input)
  const compile = async (
    options: Readonly<Record<string, unknown>>,
    [command, ...first]: readonly [string, ...string[]],
  ) => {
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(tsconfig(Object.keys(sources), options)))
    const argv = [...first, '-p', project, '--pretty', 'false']
    const { stdout } = await run(command, argv, { cwd: project }).catch(
      (failed: { stdout: string }) => failed,
    )
    // Ignore errors outside the project, because the published types of Vue's adapter do not compile.
    return stdout.split('\n').filter((line) => line !== '' && !/^(?: |\.\.\/)/.test(line))
  }
  return {
    typeCheck: (options) => compile(options, [tsc]),
    typeCheckTemplates: (options) => compile(options, [process.execPath, '--eval', vueTsc, '--', 'vue-tsc']),
    run: async (source, ...argv) => (await run(process.execPath, [join(project, source), ...argv])).stdout,
  }
}

/** Runs vue-tsc with the TypeScript release that it supports. */
const vueTsc = `require(${path('vue-tsc')}).run(${path('typescript-5/lib/tsc.js')})`

/**
 * Installs the tarball with pnpm, without a registry: all other packages are links to those of the workspace. The package
 * finds only its own dependencies, as in an application.
 */
async function install(project: string, { tarball, manifest, installed }: ProjectInput): Promise<void> {
  const linked = async (names: readonly string[], from: string) =>
    Object.fromEntries(
      await Promise.all(
        names.map(
          async (name) => [name, `link:${await realpath(join(from, 'node_modules', name))}`] as const,
        ),
      ),
    )
  const dependencies = {
    '@vertical-kit/ui-client': `file:${tarball}`,
    ...(await linked(installed, packageFolder)),
    ...(await linked(['@types/node'], root)),
  }
  const overrides = await linked(Object.keys(manifest.dependencies), packageFolder)
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ type: 'module', private: true, dependencies }),
  )
  await writeFile(join(project, 'pnpm-workspace.yaml'), JSON.stringify({ packages: [], overrides }))
  await run('pnpm', ['install', '--offline', '--ignore-scripts', '--no-lockfile'], { cwd: project })
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

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The packages of a host with notes, in dependency order. */
const packages = ['core-audit', 'feature-flags', 'notes'] as const
type Package = (typeof packages)[number]

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** All packages of one version, packed with pnpm like for a registry and then unpacked. */
export interface Release {
  readonly version: string
  folderOf(name: Package): string
  manifestOf(name: Package): Promise<Manifest>
}

/** For each folder below the project, the installed packages and their releases. The key of the project itself is ''. */
export type Installation = Readonly<Record<string, Partial<Readonly<Record<Package, Release>>>>>

/** Two releases, and a function that runs the README example with packages of these releases. */
export interface PackedReleases {
  readonly current: Release
  /** The next minor version. The `^` range of the current version includes this version. */
  readonly next: Release
  /** Runs the README example in a new project outside the workspace until it is ready or exits. Returns its output. */
  runExample(installation: Installation, environment: Readonly<Record<string, string>>): Promise<string>
  close(): Promise<void>
}

/** Builds the packages, then packs them twice with pnpm: with the current version and with the next minor version. */
export async function packReleases(): Promise<PackedReleases> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'notes-packed-')))
  await run(join(root, 'node_modules/.bin/tsc'), ['-b', join(root, 'packages/notes')])
  const { version } = await readManifest(join(root, 'packages/core-audit'))
  const [major, minor] = version.split('.').map(Number)
  const [current, next] = await Promise.all([
    packRelease(folder, version),
    packRelease(folder, `${major}.${(minor ?? 0) + 1}.0`),
  ])
  return {
    current,
    next,
    async runExample(installation, environment) {
      const project = await mkdtemp(join(folder, 'project-'))
      await install(project, installation)
      return runUntilReady(project, environment)
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

const readManifest = async (packageFolder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as Manifest

/** Packs a copy of the workspace with all packages set to this version. */
async function packRelease(folder: string, version: string): Promise<Release> {
  const workspace = join(folder, `release-${version}`)
  const copyOf = (name: string) => join(workspace, 'packages', name)
  await mkdir(workspace)
  await cp(join(root, 'pnpm-workspace.yaml'), join(workspace, 'pnpm-workspace.yaml'))
  for (const name of packages) {
    const from = join(root, 'packages', name)
    const left = ['node_modules', 'test'].map((part) => join(from, part))
    await cp(from, copyOf(name), { recursive: true, filter: (path) => !left.includes(path) })
    const manifest = { ...(await readManifest(from)), version }
    await writeFile(join(copyOf(name), 'package.json'), JSON.stringify(manifest, null, 2))
    // pnpm replaces `workspace:` with the version of the package that is linked here.
    const modules = join(copyOf(name), 'node_modules/@vertical-kit')
    for (const other of packages) await link(copyOf(other), join(modules, other))
    await link(join(root, 'packages/dev-services'), join(modules, 'dev-services'))
  }
  const folderOf = (name: Package) => join(workspace, 'unpacked', name)
  await Promise.all(
    packages.map(async (name) => {
      const tarball = join(workspace, `${name}.tgz`)
      await run('pnpm', ['pack', '--silent', '--out', tarball], { cwd: copyOf(name) })
      await mkdir(folderOf(name), { recursive: true })
      await run('tar', ['-xzf', tarball, '--strip-components', '1', '-C', folderOf(name)])
    }),
  )
  return { version, folderOf, manifestOf: (name) => readManifest(folderOf(name)) }
}

async function link(to: string, at: string): Promise<void> {
  await mkdir(dirname(at), { recursive: true })
  await symlink(to, at)
}

/** Copies our packages into the project, and links third-party packages to their installation in the workspace. */
async function install(project: string, installation: Installation): Promise<void> {
  const others = new Map<string, string>()
  for (const [below, releases] of Object.entries(installation)) {
    for (const name of packages) {
      const release = releases[name]
      if (release === undefined) continue
      await cp(release.folderOf(name), join(project, below, 'node_modules/@vertical-kit', name), {
        recursive: true,
      })
      const { dependencies, peerDependencies } = await release.manifestOf(name)
      for (const other of Object.keys({ ...dependencies, ...peerDependencies })) others.set(other, name)
    }
  }
  for (const [other, name] of others) {
    if (other.startsWith('@vertical-kit/')) continue
    const installed = await realpath(join(root, 'packages', name, 'node_modules', other))
    await link(installed, join(project, 'node_modules', other))
  }
  const readme = await readFile(join(root, 'packages/notes/README.md'), 'utf8')
  await writeFile(join(project, 'host.ts'), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
}

/** Runs the host until it is ready or exits. Returns the output of the host. */
function runUntilReady(project: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const options = { cwd: project, env: { PATH: process.env['PATH'], ...environment } }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['host.ts'], options, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += String(chunk)
      if (output.includes('ready ')) child.kill()
    })
  })
}

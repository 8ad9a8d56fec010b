import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { modulesOf, quotationsOf } from './snippets.ts'

const run = promisify(execFile)

const pages = ['README.md', 'docs/guides/*.md', 'packages/*/README.md']

/** The packages that snippets use, in addition to the dependencies of packages and examples. */
const shown: Readonly<Record<string, readonly string[]>> = {
  '.': ['@types/node', 'postgres'],
  'packages/notes': ['drizzle-kit'],
  'packages/ui-client': [
    ...['@nanostores/react', '@nanostores/vue', '@types/react', '@uppy/aws-s3', '@uppy/core', 'react', 'vue'],
  ],
}

/** The number of checked modules, and the messages of the compiler. */
export interface PackedCheck {
  readonly moduleCount: number
  readonly findings: string
}

/**
 * Type-checks the examples, and the modules in guides and READMEs, as in an application that installs the packed packages.
 * Also checks that quotations on a page match their files.
 */
export async function checkPacked(root: string): Promise<PackedCheck> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'vertical-kit-packed-')))
  try {
    await install(root, folder)
    const files = [...(await copyExamples(root, folder)), ...(await copySnippets(root, folder))]
    const findings = [await typeCheck(root, folder, files), ...(await wrongQuotations(root))]
    return { moduleCount: files.length, findings: findings.filter((line) => line !== '').join('\n') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

async function install(root: string, folder: string): Promise<void> {
  const packages = globSync('packages/*', { cwd: root })
  await mkdir(join(folder, 'node_modules/@vertical-kit'), { recursive: true })
  await run(join(root, 'node_modules/.bin/tsc'), ['-b', ...packages], { cwd: root })
  await Promise.all(packages.map((path) => unpack(join(root, path), folder)))
  for (const path of packages) {
    const { dependencies, peerDependencies } = await manifestOf(join(root, path))
    await link(join(root, path), folder, Object.keys({ ...dependencies, ...peerDependencies }))
  }
  const { dependencies, devDependencies } = await manifestOf(join(root, 'examples'))
  await link(join(root, 'examples'), folder, Object.keys({ ...dependencies, ...devDependencies }))
  for (const [path, names] of Object.entries(shown)) await link(join(root, path), folder, names)
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Packs a package and unpacks it into the application, where it resolves only the application's dependencies. */
async function unpack(source: string, folder: string): Promise<void> {
  const { name } = await manifestOf(source)
  const [to, tarball] = [join(folder, 'node_modules', name), join(folder, `${name.replace('/', '-')}.tgz`)]
  await run('pnpm', ['pack', '--silent', '--out', tarball], { cwd: source })
  await mkdir(to)
  await run('tar', ['-xzf', tarball, '-C', to, '--strip-components=1'])
}

/** Links the installed dependencies of a workspace folder into the application, except workspace packages. */
async function link(source: string, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((one) => !one.startsWith('@vertical-kit/'))) {
    const to = join(folder, 'node_modules', name)
    await mkdir(dirname(to), { recursive: true })
    await rm(to, { force: true })
    await symlink(await realpath(join(source, 'node_modules', name)), to)
  }
}

async function copyExamples(root: string, folder: string): Promise<readonly string[]> {
  const files = globSync('examples/*.ts', { cwd: root }).filter((path) => !path.endsWith('.config.ts'))
  for (const file of files) await cp(join(root, file), join(folder, file))
  return files
}

/** Copies the snippets of a page into a folder that is named after the page, so compiler messages contain the page. */
async function copySnippets(root: string, folder: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const page of globSync(pages, { cwd: root })) {
    for (const { name, text } of modulesOf(await readFile(join(root, page), 'utf8'))) {
      const file = join(page, name)
      await mkdir(join(folder, page), { recursive: true })
      await writeFile(join(folder, file), text)
      files.push(file)
    }
  }
  return files
}

async function wrongQuotations(root: string): Promise<readonly string[]> {
  const findings: string[] = []
  for (const page of globSync(pages, { cwd: root })) {
    for (const { file, line, text } of quotationsOf(await readFile(join(root, page), 'utf8'))) {
      const source = await readFile(join(root, file), 'utf8')
      if (!source.includes(text))
        findings.push(`${page}:${line}: ${file} does not contain this text; quote it exactly`)
    }
  }
  return findings
}

async function typeCheck(root: string, folder: string, files: readonly string[]): Promise<string> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  try {
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], { cwd: folder })
    return ''
  } catch (failed) {
    const output: unknown = Reflect.get(failed as object, 'stdout')
    if (typeof output !== 'string' || output === '') throw failed
    return output.trimEnd()
  }
}

/** The compiler options of an application with all checks on. drizzle-orm's declarations need `skipLibCheck`. */
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  module: 'nodenext',
  jsx: 'react-jsx',
}

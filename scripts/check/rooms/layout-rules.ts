import type { Finding } from '../finding.ts'
import { commonRooms, emptyNames, floorPlan } from './floor-plan.ts'
import { isPackageSource, type Repository, type SourceFile, type Workspace } from './repository.ts'

/** Required rooms, known rooms, and names that say something. */
export function layoutFindings({ paths, workspaces, files }: Repository): Finding[] {
  const packages = workspaces.filter(({ isPackage }) => isPackage)
  return [
    ...packages.flatMap((workspace) => checkPackage(workspace, paths)),
    ...packages.flatMap((workspace) => checkRooms(workspace, files)),
    ...files.flatMap(checkName),
  ]
}

function checkPackage({ id, folder }: Workspace, paths: ReadonlySet<string>): Finding[] {
  const missing = ['README.md', 'src/index.ts']
    .map((room) => `${folder}/${room}`)
    .filter((path) => !paths.has(path))
    .map((path) => ({ path, message: 'missing; every package has one' }))
  if (floorPlan[id] !== undefined) return missing
  return [
    ...missing,
    { path: folder, message: 'not in the floor plan; give it a place in scripts/check/rooms/floor-plan.ts' },
  ]
}

function checkRooms({ id, folder }: Workspace, files: readonly SourceFile[]): Finding[] {
  const extraRooms = floorPlan[id]?.extraRooms ?? 'any'
  if (extraRooms === 'any') return []
  const known = [...commonRooms, ...extraRooms]
  const rooms = new Set(
    files.filter((file) => file.workspace?.id === id && isPackageSource(file)).map(roomOf),
  )
  const message = `not a room of ${id}; move it to the room it belongs to, or add it to the floor plan`
  return [...rooms]
    .filter((room) => !known.includes(room))
    .map((room) => ({ path: `${folder}/src/${room}`, message }))
}

/** What lies at the top of `src/`: `routes.ts`, or `commands/` for a file inside that folder. */
function roomOf({ segments }: SourceFile): string {
  const [, top, ...below] = segments
  return below.length > 0 ? `${top}/` : `${top}`
}

function checkName({ path, segments }: SourceFile): Finding[] {
  const vague = segments
    .map((segment) => segment.replace(/\..*$/, ''))
    .find((name) => emptyNames.includes(name))
  if (vague === undefined) return []
  return [{ path, message: `"${vague}" does not say what is inside; name it after its one concept` }]
}

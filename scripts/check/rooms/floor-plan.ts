/**
 * The floor plan: which rooms a package may have and which packages it may import.
 * Adding a package, a room or a dependency between packages is a change to this file, and a decision record.
 */

/** What the top of every package's `src/` may hold. A missing room says "none of that here". */
export const commonRooms: readonly string[] = [
  'index.ts',
  'contract.ts',
  'schema.ts',
  'schema-internal.ts',
  'config.ts',
  'permissions.ts',
  'errors.ts',
  'policy.ts',
  'audit.ts',
  'commands/',
  'queries/',
  'routes.ts',
  'module.ts',
  'migrations.ts',
  'testing.ts',
  'testing/',
]

/** One package's place in the plan. */
export interface PackagePlan {
  /** Packages its sources may import, by folder name. Its tests may import these and `dev-services`. */
  imports: readonly string[]
  /** Packages that its tests alone may import: for what they hold it to, and not for what it is made of. */
  testImports?: readonly string[]
  /** Rooms beyond the common ones, named in the field's words; `any` for a package outside the plan. */
  extraRooms: readonly string[] | 'any'
}

/** Every folder of `packages/`. Imports point down one ladder, so packages on one rung never meet here. */
export const floorPlan: Readonly<Record<string, PackagePlan>> = {
  'core-audit': {
    imports: [],
    extraRooms: [
      'audit/',
      'business-objects/',
      'config/',
      'database/',
      'drizzle/',
      'health/',
      'http/',
      'identity/',
      'outbox/',
      'workers.ts',
    ],
  },
  'feature-flags': { imports: ['core-audit'], extraRooms: ['registry.ts'] },
  attachments: { imports: ['feature-flags', 'core-audit'], extraRooms: ['storage/', 'expiration.ts'] },
  notes: { imports: ['feature-flags', 'core-audit'], extraRooms: [] },
  'document-actions': {
    imports: ['core-audit'],
    extraRooms: ['actions/', 'documents/', 'idempotency/', 'outbox.ts', 'retention.ts'],
  },
  'work-center': {
    imports: ['core-audit'],
    extraRooms: ['definitions/', 'policies/', 'realtime/', 'inbox/', 'clock.ts', 'retention.ts', 'health.ts'],
  },
  // Runs in browsers: its sources import no package; its tests hold its wire types to their contracts.
  'ui-client': {
    imports: [],
    testImports: ['core-audit', 'feature-flags', 'attachments', 'notes', 'document-actions', 'work-center'],
    extraRooms: 'any',
  },
  'dev-services': { imports: [], extraRooms: 'any' },
}

/** The package that tests, and what runs locally, may use besides their own. */
export const testPackage = 'dev-services'

/** Names that say nothing about what is inside; a file is named after its one concept. */
export const emptyNames: readonly string[] = [
  'util',
  'utils',
  'helper',
  'helpers',
  'type',
  'types',
  'misc',
  'common',
]

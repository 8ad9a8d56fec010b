/**
 * The floor plan: which rooms a package or an app may have, which of them import each other, and which packages they import.
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
  'version.ts',
  'testing.ts',
  'testing/',
]

/** The rooms of a tree of sources, and the imports between them. */
interface RoomsPlan {
  /**
   * For each room named here, the rooms and files that it may import besides itself; the front door imports every room.
   * Imports of rooms that are not named are free. Paths are relative to the tree; `*.ts` stands for any file at its top.
   */
  roomImports?: Readonly<Record<string, readonly string[]>>
  /** Code for browsers imports nothing of Node. */
  platform?: 'browser'
}

/** One package's place in the plan. */
export interface PackagePlan extends RoomsPlan {
  /** Packages its sources may import, by folder name. Its tests may import these and `dev-services`. */
  imports: readonly string[]
  /** Packages that its tests alone may import: for what they hold it to, and not for what it is made of. */
  testImports?: readonly string[]
  /** Rooms beyond the common ones, named in the field's words. */
  extraRooms: readonly string[]
}

/** The packages that a host is made of. */
const hostPackages: readonly string[] = [
  ...['work-center', 'document-actions', 'attachments', 'notes', 'feature-flags', 'core-audit'],
]

/** Every folder of `packages/`. Imports point down one ladder, so packages on one rung never meet here. */
export const floorPlan: Readonly<Record<string, PackagePlan>> = {
  'core-audit': {
    imports: [],
    extraRooms: [
      'access/',
      'audit/',
      'database/',
      'drizzle/',
      'host/',
      'http/',
      'identity/',
      'instant.ts',
      'new-id.ts',
      'objects/',
      'outbox/',
    ],
  },
  'feature-flags': { imports: ['core-audit'], extraRooms: ['registry.ts'] },
  attachments: {
    imports: ['feature-flags', 'core-audit'],
    extraRooms: ['content.ts', 'storage/', 'expiration.ts'],
  },
  notes: { imports: ['feature-flags', 'core-audit'], extraRooms: ['content.ts'] },
  'document-actions': {
    imports: ['core-audit'],
    extraRooms: ['actions/', 'documents/', 'idempotency/', 'outbox.ts', 'retention.ts'],
  },
  'work-center': {
    imports: ['core-audit'],
    extraRooms: ['definitions/', 'event-handlers/', 'realtime/', 'inbox/', 'clock.ts', 'retention.ts'],
  },
  // Runs in browsers: its sources import no package; its tests hold its wire types to their contracts.
  'ui-client': {
    imports: [],
    testImports: hostPackages,
    extraRooms: ['client/', 'elements/', 'session/', 'stores/', 'uppy/', 'wire/'],
    platform: 'browser',
    roomImports: {
      'wire/': [],
      'client/': ['wire/'],
      'session/': ['client/', 'wire/'],
      'stores/': ['session/', 'client/', 'wire/'],
      // Elements ask stores, never the client: of it they know the error that they show.
      'elements/': ['stores/', 'session/session.ts', 'client/kit-error.ts', 'wire/'],
      'uppy/': ['client/', 'wire/'],
    },
  },
  'dev-services': {
    imports: [],
    extraRooms: ['identity-provider/', 'object-store/', 'postgres/'],
    // Each stands beside the others, so that a test starts the one it needs.
    roomImports: { 'identity-provider/': [], 'object-store/': [], 'postgres/': [] },
  },
}

/** A tree of sources outside `packages/`; the tree `.` is a whole workspace. */
export interface TreePlan extends RoomsPlan {
  /** Packages and apps it may import, by folder name; those of the tree around it when absent. */
  imports?: readonly string[]
  /** Its folders; `*.ts` for files at its top. */
  rooms: readonly string[]
  /** Files of the same workspace that it may import from elsewhere; free in a tree within another. */
  outside?: readonly string[]
}

/** Every other workspace, and its trees by their paths. A tree within a tree is checked for both. */
export const treePlan: Readonly<Record<string, Readonly<Record<string, TreePlan>>>> = {
  'demo-host': {
    src: {
      imports: [...hostPackages, 'dev-services'],
      rooms: ['page/', 'sample-data/', 'trade/', '*.ts'],
      roomImports: {
        // The vertical knows no host.
        'trade/': [],
        'page/': ['cannot-start-error.ts', 'demo-users.ts'],
        'sample-data/': ['trade/', 'demo-users.ts'],
      },
      outside: [],
    },
    'src/trade': {
      rooms: ['actions/', 'catalogs/', 'documents/', 'ledger/', 'work-center/', '*.ts'],
      roomImports: {
        'documents/': ['permissions.ts', 'type-rights.ts', 'value-schemas.ts'],
        'catalogs/': ['documents/', 'type-rights.ts', 'value-schemas.ts'],
        'ledger/': ['documents/'],
        'actions/': ['documents/', 'ledger/', 'value-schemas.ts'],
        'work-center/': ['actions/', 'documents/', 'ledger/', 'roles.ts'],
      },
    },
    // The page: it asks the host over HTTP, and shares with its sources only names, addresses and sums.
    web: {
      imports: ['ui-client'],
      rooms: ['data/', 'form/', 'identity/', 'shell/', 'views/', '*.ts'],
      platform: 'browser',
      roomImports: {
        'form/': [],
        'identity/': [],
        'data/': ['lists.ts'],
        'views/': ['data/', 'form/', '*.ts'],
        'shell/': ['views/', '*.ts'],
      },
      outside: [
        'src/page/page-routes.ts',
        'src/page/signed-in-path.ts',
        'src/trade/catalogs/contract.ts',
        'src/trade/documents/fields.ts',
        'src/trade/ledger/money.ts',
      ],
    },
  },
  benchmarks: {
    src: {
      imports: ['demo-host', 'core-audit', 'dev-services'],
      rooms: ['work-center/', '*.ts'],
      outside: [],
    },
  },
  // One file each: an example is read from top to bottom, and copied.
  examples: {
    '.': {
      imports: [...hostPackages, 'dev-services'],
      rooms: ['test/', '*.ts'],
    },
  },
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

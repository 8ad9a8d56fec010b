/**
 * The floor plan: the rooms of every package and app, and the allowed imports between rooms and packages.
 * A new package, room or dependency between packages needs a change here and a decision record.
 */

/** The allowed rooms at the top of every package's `src/`. A package can omit rooms. */
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

/** The rooms of a source tree and the imports between them. */
interface RoomsPlan {
  /**
   * The other rooms and files that a room can import. The front door can import every room. Rooms without an entry have
   * no restrictions. Paths are relative to the tree; `*.ts` matches any file at its top.
   */
  roomImports?: Readonly<Record<string, readonly string[]>>
  /** `browser` if the code runs in browsers and must therefore not import Node modules. */
  platform?: 'browser'
}

/** The plan of one package. */
export interface PackagePlan extends RoomsPlan {
  /** The folder names of packages that its sources can import. Its tests can also import `dev-services`. */
  imports: readonly string[]
  /** The folder names of packages that only its tests can import, for example to compare contracts. */
  testImports?: readonly string[]
  /** Additional rooms. Their names are standard terms. */
  extraRooms: readonly string[]
}

/** The packages of a host. */
const hostPackages: readonly string[] = [
  ...['webhooks', 'work-center', 'document-actions', 'attachments', 'notes', 'feature-flags', 'core-audit'],
]

/** Every folder of `packages/`. Imports point down one ladder, so packages on one rung never import each other. */
export const floorPlan: Readonly<Record<string, PackagePlan>> = {
  'core-audit': {
    imports: [],
    extraRooms: [
      'access/',
      'audit/',
      'database/',
      'doctor/',
      'drizzle/',
      'host/',
      'http/',
      'identity/',
      'instant.ts',
      'new-id.ts',
      'objects/',
      'outbox/',
      'telemetry/',
    ],
  },
  'feature-flags': { imports: ['core-audit'], extraRooms: ['registry.ts'] },
  attachments: {
    imports: ['feature-flags', 'core-audit'],
    extraRooms: ['content.ts', 'storage/', 'expiration.ts', 'parts.ts', 'parts-routes.ts', 'scanning/'],
  },
  notes: { imports: ['feature-flags', 'core-audit'], extraRooms: ['content.ts', 'linkers.ts', 'outbox.ts'] },
  'document-actions': {
    imports: ['core-audit'],
    extraRooms: ['actions/', 'documents/', 'idempotency/', 'outbox.ts', 'retention.ts', 'routes/'],
  },
  'work-center': {
    imports: ['core-audit'],
    extraRooms: [
      'change-routes.ts',
      'clock.ts',
      'contract/',
      'definitions/',
      'event-handlers/',
      'health.ts',
      'inbox/',
      'mail/',
      'realtime/',
      'watch/',
      'retention.ts',
      'shrinking-batches.ts',
      'substitution-routes.ts',
      'team-routes.ts',
    ],
  },
  webhooks: {
    imports: ['core-audit'],
    extraRooms: [
      'post.ts',
      'public-address.ts',
      'resolve-host.ts',
      'signature.ts',
      'webhooks-cli.ts',
      'webhooks-command-line.ts',
    ],
  },
  // This package runs in browsers, so its sources import no package. Its tests compare its wire types with the contracts.
  'ui-client': {
    imports: [],
    testImports: hostPackages,
    extraRooms: [
      'client/',
      'elements/',
      'locales/',
      'react/',
      'session/',
      'stores/',
      'uppy/',
      'vue/',
      'wire/',
    ],
    platform: 'browser',
    roomImports: {
      'wire/': [],
      'client/': ['wire/'],
      'session/': ['client/', 'wire/'],
      'stores/': ['session/', 'client/', 'wire/'],
      // Elements use stores. They import only two files of the client: the error type that they show, and loading on demand.
      'locales/': ['elements/'],
      'elements/': ['stores/', 'session/session.ts', 'client/kit-error.ts', 'client/on-demand.ts', 'wire/'],
      // Types of the elements for frameworks.
      'react/': ['elements/'],
      'vue/': ['elements/'],
      'uppy/': ['client/', 'wire/'],
    },
  },
  'dev-services': {
    imports: [],
    extraRooms: ['identity-provider/', 'object-store/', 'postgres/'],
    // The rooms are independent, so a test starts only the service that it needs.
    roomImports: { 'identity-provider/': [], 'object-store/': [], 'postgres/': [] },
  },
}

/** A source tree outside `packages/`. The tree `.` is a complete workspace. */
export interface TreePlan extends RoomsPlan {
  /** The folder names of packages and apps that the tree can import. Default: those of the enclosing tree. */
  imports?: readonly string[]
  /** The folders of the tree. `*.ts` allows files at its top. */
  rooms: readonly string[]
  /** Files elsewhere in the workspace that the tree can import. A tree inside another tree needs no such list. */
  outside?: readonly string[]
}

/** All other workspaces and their trees, by path. A tree inside another tree must follow the rules of both trees. */
export const treePlan: Readonly<Record<string, Readonly<Record<string, TreePlan>>>> = {
  'demo-host': {
    src: {
      imports: [...hostPackages, 'dev-services'],
      rooms: ['page/', 'sample-data/', 'trade/', '*.ts'],
      roomImports: {
        // The vertical does not import the host.
        'trade/': [],
        'page/': ['cannot-start-error.ts', 'demo-users.ts'],
        'sample-data/': ['trade/', 'demo-users.ts'],
      },
      outside: [],
    },
    'src/trade': {
      rooms: ['actions/', 'catalogs/', 'documents/', 'ledger/', 'receivables/', 'work-center/', '*.ts'],
      roomImports: {
        'receivables/': ['documents/', 'ledger/', 'permissions.ts', 'type-rights.ts'],
        'documents/': [
          'creation.ts',
          'list-query.ts',
          'permissions.ts',
          'type-rights.ts',
          'value-schemas.ts',
        ],
        'catalogs/': ['creation.ts', 'documents/', 'list-query.ts', 'type-rights.ts', 'value-schemas.ts'],
        'ledger/': ['documents/'],
        'actions/': ['documents/', 'ledger/', 'value-schemas.ts'],
        'work-center/': ['actions/', 'documents/', 'ledger/', 'roles.ts'],
      },
    },
    // The page calls the host over HTTP. From the sources of the host, it uses only names, paths and money calculations.
    web: {
      imports: ['ui-client'],
      rooms: ['data/', 'form/', 'gallery/', 'identity/', 'shell/', 'views/', '*.ts'],
      platform: 'browser',
      roomImports: {
        'form/': [],
        'gallery/': [],
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
        'src/trade/receivables/contract.ts',
      ],
    },
  },
  benchmarks: {
    src: {
      imports: ['demo-host', 'core-audit', 'dev-services'],
      rooms: ['growth/', 'outbox/', 'peers/', 'predecessor/', 'profile/', 'report/', 'work-center/', '*.ts'],
      outside: [],
    },
    // Scripts that run inside other products. They have a workspace of their own, which only `pnpm bench --peers` installs.
    peers: { imports: [], rooms: ['*.ts'], outside: [] },
  },
  // An example is one file, a host or a page, so users can read it from top to bottom and copy it.
  examples: {
    '.': {
      imports: [...hostPackages, 'dev-services', 'ui-client'],
      rooms: ['test/', '*.ts'],
    },
  },
}

/** The package that all tests and local programs can also import. */
export const testPackage = 'dev-services'

/** Names that are too vague for a file. A file is named after its concept. */
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

import {
  type MadeDocument,
  type SampleClient,
  type SampleFile,
  type SampleHost,
  type SampleTarget,
  signIn,
} from './sample-client.ts'
import { loadSampleDocuments, type SampleCatalogs } from './sample-documents.ts'
import { samplePdf, sampleText } from './sample-files.ts'

const customerNames = [
  ...['Alder & Sons', 'Birch Bakery', 'Cedar Cycles', 'Dogwood Dairy', 'Elm Electrics', 'Fir Furniture'],
  ...['Gum Garage', 'Hazel Hotels', 'Ivy Imports', 'Juniper Joinery', 'Kapok Kitchens', 'Larch Logistics'],
  ...['Maple Motors', 'Nutmeg Noodles', 'Oak Optics', 'Pine Print', 'Quince Quarry', 'Rowan Roofing'],
  ...['Spruce Supplies', 'Teak Toys'],
] as const

const items = [
  { name: 'Hex bolt M8', sku: 'BOLT-M8', unit: 'piece', unitPrice: '0.35' },
  { name: 'Lock nut M8', sku: 'NUT-M8', unit: 'piece', unitPrice: '0.20' },
  { name: 'Oak plank 2 m', sku: 'PLANK-OAK', unit: 'piece', unitPrice: '24.90' },
  { name: 'Wood glue', sku: 'GLUE', unit: 'kg', unitPrice: '11.40' },
  { name: 'Copper cable', sku: 'CABLE-CU', unit: 'm', unitPrice: '3.15' },
  { name: 'Ceiling lamp', sku: 'LAMP', unit: 'piece', unitPrice: '89.00' },
  { name: 'Assembly', sku: 'WORK', unit: 'hour', unitPrice: '64.00' },
  { name: 'Delivery', sku: 'DELIVERY', unit: 'piece', unitPrice: '12.50' },
] as const

/**
 * Creates the sample data over HTTP as the user `clerk`: catalogs, documents and, if the features are on, notes and files.
 * Does nothing if the host already has customers. Rejects at the first failure and keeps the data that was already created.
 * A server that responds too late counts as a failure.
 */
export async function loadSampleData(host: SampleHost): Promise<void> {
  const clerk = await signIn(host, 'clerk')
  const present = await clerk.get<{ items: readonly object[] }>('/api/catalogs/trade.customer?limit=1')
  if (present.items.length > 0) return
  const customerIds = await loadCustomers(clerk)
  const invoices = await loadSampleDocuments(clerk, { customerIds, items: await loadItems(clerk) })

  const features = await clerk.get<readonly { code: string; enabled: boolean }[]>('/api/features')
  const isOn = (code: string) => features.some((feature) => feature.code === code && feature.enabled)
  const targets: readonly SampleTarget[] = invoices.map(({ id }) => ({
    kind: 'Document',
    typeCode: 'trade.sales_invoice',
    id,
  }))
  if (isOn('Notes')) await loadNotes(clerk, targets)
  // Create files last. If the store does not respond, all other sample data already exists.
  if (isOn('Attachments')) await loadFiles(clerk, invoices, targets)
}

async function loadCustomers(clerk: SampleClient): Promise<readonly string[]> {
  const ids: string[] = []
  for (const [index, name] of customerNames.entries()) {
    const host = name.toLowerCase().replace(/[^a-z]+/g, '-')
    const fields = { email: `office@${host}.example`, city: ['Graz', 'Linz', 'Wien'][index % 3] }
    ids.push((await clerk.post<{ id: string }>('/api/catalogs/trade.customer', { name, fields })).id)
  }
  return ids
}

async function loadItems(clerk: SampleClient): Promise<SampleCatalogs['items']> {
  const made: SampleCatalogs['items'][number][] = []
  for (const { name, ...fields } of items) {
    const { id } = await clerk.post<{ id: string }>('/api/catalogs/trade.item', { name, fields })
    made.push({ id, unitPrice: fields.unitPrice })
  }
  return made
}

async function loadNotes(clerk: SampleClient, targets: readonly SampleTarget[]): Promise<void> {
  const texts = [
    'Customer asked for delivery before noon.',
    'Price agreed by phone.\nConfirm in writing.',
    'Second reminder sent.',
  ]
  for (const [index, target] of targets.slice(-6).entries()) {
    await clerk.post('/api/notes', { target, text: texts[index % texts.length] })
  }
}

async function loadFiles(
  clerk: SampleClient,
  invoices: readonly MadeDocument[],
  targets: readonly SampleTarget[],
): Promise<void> {
  const terms = sampleText('Delivery terms.txt', ['Free on board.', 'Unloading is the customer’s.'])
  const files: readonly (readonly [SampleTarget, SampleFile])[] = [
    ...targets.slice(-3).map((target, index) => {
      const number = invoices.at(index - 3)?.number ?? ''
      return [target, samplePdf(`${number}.pdf`, `Sales invoice ${number}`)] as const
    }),
    ...targets.slice(-2).map((target) => [target, terms] as const),
  ]
  for (const [index, [target, file]] of files.entries()) {
    await clerk.attach(target, file).catch((error: unknown) => {
      const missing = `${files.length - index} of ${files.length} files are missing`
      throw new Error(`${missing}: ${error instanceof Error ? error.message : error}`, { cause: error })
    })
  }
}

import { type SampleClient, type SampleTarget, signIn } from './sample-client.ts'
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

const counts = { orders: 10, invoices: 40, payments: 8, journalEntries: 4 }

interface Made {
  readonly id: string
  readonly number: string
}

/**
 * Fills an empty host, as the clerk would over HTTP: catalogs, drafts, and where the features are on, notes and real
 * files. A host that has customers is left alone.
 */
export async function loadSampleData(host: { readonly url: string; readonly issuer: string }): Promise<void> {
  const clerk = await signIn(host, 'clerk')
  const present = await clerk.get<{ items: readonly object[] }>('/api/catalogs/trade.customer?limit=1')
  if (present.items.length > 0) return
  const customers = await loadCustomers(clerk)
  const itemIds = await loadItems(clerk)
  const invoices = await loadDocuments(clerk, customers, itemIds)

  const features = await clerk.get<readonly { code: string; enabled: boolean }[]>('/api/features')
  const isOn = (code: string) => features.some((feature) => feature.code === code && feature.enabled)
  const targets: readonly SampleTarget[] = invoices.map(({ id }) => ({
    kind: 'Document',
    typeCode: 'trade.sales_invoice',
    id,
  }))
  if (isOn('Notes')) await loadNotes(clerk, targets)
  // Last: should the store not answer, everything else is there.
  if (isOn('Attachments')) await loadFiles(clerk, invoices, targets)
}

async function loadCustomers(clerk: SampleClient): Promise<readonly string[]> {
  const ids: string[] = []
  for (const [index, name] of customerNames.entries()) {
    const host = name.toLowerCase().replace(/[^a-z]+/g, '-')
    const fields = { email: `office@${host}.example`, city: ['Graz', 'Linz', 'Wien'][index % 3] }
    ids.push((await clerk.post<Made>('/api/catalogs/trade.customer', { name, fields })).id)
  }
  return ids
}

async function loadItems(clerk: SampleClient): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { name, ...fields } of items) {
    ids.push((await clerk.post<Made>('/api/catalogs/trade.item', { name, fields })).id)
  }
  return ids
}

async function loadDocuments(
  clerk: SampleClient,
  customerIds: readonly string[],
  itemIds: readonly string[],
): Promise<readonly Made[]> {
  const make = (typeCode: string, fields: object) =>
    clerk.post<Made>(`/api/documents/${typeCode}`, { fields })
  const sales = (index: number) => ({
    customerId: customerIds[index % customerIds.length],
    dueDate: dayFromToday(index - 10),
    lines: Array.from({ length: 1 + (index % 3) }, (_, line) => ({
      itemId: itemIds[(index + 3 * line) % itemIds.length],
      quantity: 1 + ((index * 7 + line) % 12),
      unitPrice: items[(index + 3 * line) % items.length]?.unitPrice,
    })),
  })
  for (let index = 0; index < counts.orders; index += 1) await make('trade.sales_order', sales(index))
  const invoices: Made[] = []
  for (let index = 0; index < counts.invoices; index += 1) {
    invoices.push(await make('trade.sales_invoice', sales(index)))
  }
  for (const { id } of invoices.slice(0, counts.payments)) {
    await make('trade.customer_payment', { invoiceId: id, amount: '25.00' })
  }
  for (let index = 1; index <= counts.journalEntries; index += 1) {
    const amount = `${index * 100}.00`
    const entries = [
      { account: '6000 Rent', debit: amount, credit: '0.00' },
      { account: '1000 Bank', debit: '0.00', credit: amount },
    ]
    await make('general_journal_entry', { entries })
  }
  return invoices
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
  invoices: readonly Made[],
  targets: readonly SampleTarget[],
): Promise<void> {
  for (const [index, target] of targets.slice(-3).entries()) {
    const number = invoices.at(index - 3)?.number ?? ''
    await clerk.attach(target, samplePdf(`${number}.pdf`, `Sales invoice ${number}`))
  }
  for (const target of targets.slice(-2)) {
    await clerk.attach(
      target,
      sampleText('Delivery terms.txt', ['Free on board.', 'Unloading is the customer’s.']),
    )
  }
}

const dayMs = 86_400_000

const dayFromToday = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

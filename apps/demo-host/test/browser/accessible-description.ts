import type { Locator, Page } from 'playwright-core'

/** Returns the accessible description of an element. Screen readers announce this text after the element's name. */
export async function accessibleDescription(page: Page, element: Locator): Promise<string> {
  const snapshot = await page.context().newCDPSession(page)
  await element.evaluate((one) => one.setAttribute('data-asked', ''))
  const { root } = await snapshot.send('DOM.getDocument', { depth: -1, pierce: true })
  const nodeId = findNode(root, 'data-asked')
  const { nodes } = await snapshot.send('Accessibility.getPartialAXTree', { nodeId, fetchRelatives: false })
  return String(nodes[0]?.description?.value ?? '')
}

interface DomNode {
  readonly nodeId: number
  readonly attributes?: readonly string[]
  readonly children?: readonly DomNode[]
  readonly shadowRoots?: readonly DomNode[]
}

function findNode(node: DomNode, attribute: string): number {
  if (node.attributes?.includes(attribute)) return node.nodeId
  for (const child of [...(node.children ?? []), ...(node.shadowRoots ?? [])]) {
    const found = findNode(child, attribute)
    if (found !== 0) return found
  }
  return 0
}

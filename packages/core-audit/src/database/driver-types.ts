const asIs = (text: string): string => text

/** The driver's types: instants stay text, because cursors need microseconds and a Date has none. JSON parameters are text. */
export const driverTypes = {
  date: { to: 1184, from: [1082, 1083, 1114, 1184], serialize: asIs, parse: asIs },
  json: { to: 114, from: [114, 3802], serialize: asIs, parse: JSON.parse },
}

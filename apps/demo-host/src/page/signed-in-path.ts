/** Where the identity provider sends a browser back to: one of the page's own addresses. */
export const signedInPath = '/signed-in'

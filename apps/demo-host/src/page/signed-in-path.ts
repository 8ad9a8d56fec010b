/** The path of the page to which the identity provider redirects the browser. */
export const signedInPath = '/signed-in'

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Creates a certificate authority in a folder with openssl: `NAME.key` and the certificate `NAME.crt`. Returns its path. */
export async function createAuthority(folder: string, name: string): Promise<string> {
  await openssl(folder, [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.crt`],
  ])
  return join(folder, `${name}.crt`)
}

/** Creates `server.key` and `server.crt` for these names, such as `DNS:localhost`, signed by an authority of the folder. */
export async function createServerCertificate(
  folder: string,
  authority: string,
  names: string,
): Promise<void> {
  await openssl(folder, [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=database', '-keyout', 'server.key', '-out', 'server.csr'],
  ])
  await writeFile(join(folder, 'names'), `subjectAltName=${names}\n`)
  await openssl(folder, [
    ...['x509', '-req', '-in', 'server.csr', '-days', '2', '-extfile', 'names', '-out', 'server.crt'],
    ...['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial'],
  ])
}

const openssl = (folder: string, argv: readonly string[]) => run('openssl', [...argv], { cwd: folder })

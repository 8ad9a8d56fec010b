import { type Environment, readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { type RealtimeConfig, readRealtimeConfig, realtimeDefaults } from '../../src/realtime/config.ts'

const read = (environment: Environment): RealtimeConfig => readConfiguration(environment, readRealtimeConfig)

const problemsOf = (environment: Environment) => configurationProblems(() => read(environment))

test('the defaults are no other origins, 20 connections and the database URL of the host', () => {
  expect(read({})).toEqual(realtimeDefaults)
  expect(realtimeDefaults).toMatchObject({ allowedOrigins: [], maxConnectionsPerUser: 20, databaseUrl: null })
})

test('the configuration contains the value of every key', () => {
  const environment = {
    WorkCenter__AllowedOrigins: ' https://a.example.com , http://localhost:5173,https://A.example.com:443',
    WorkCenter__RealtimeDatabaseUrl: 'postgres://u:p@db-1:5432,db-2/shop?sslmode=require',
    WorkCenter__MaxConnectionsPerUser: '3',
    WorkCenter__RealtimeCheckInterval: '00:00:10',
  }
  expect(read(environment)).toEqual({
    ...realtimeDefaults,
    allowedOrigins: ['https://a.example.com', 'http://localhost:5173'],
    databaseUrl: 'postgres://u:p@db-1:5432,db-2/shop?sslmode=require',
    maxConnectionsPerUser: 3,
    checkIntervalMs: 10_000,
  })
})

test.each([
  '*',
  'null',
  'a.example.com',
  'https://a.example.com/',
  'https://a.example.com, canary',
  'ws://a',
])('WorkCenter__AllowedOrigins rejects %j, and the error does not contain this value', (value) => {
  expect(problemsOf({ WorkCenter__AllowedOrigins: value })).toEqual([
    'WorkCenter__AllowedOrigins: expected origins (https://host[:port]) separated by commas',
  ])
})

const withHost = ' with a host: a name, an IP address or the folder of a socket'

test.each([
  ['canary', ''],
  ['mysql://u:p@host/db', ''],
  ['postgres://', withHost],
  ['postgres://u:p@/db', withHost],
  ['postgres://a b/db', withHost],
])('WorkCenter__RealtimeDatabaseUrl rejects %j, and the error does not contain this value', (value, more) => {
  expect(problemsOf({ WorkCenter__RealtimeDatabaseUrl: value })).toEqual([
    `WorkCenter__RealtimeDatabaseUrl: expected a postgres:// address${more}`,
  ])
})

test('numbers and durations outside their limits are refused, and all problems are reported together', () => {
  const environment = {
    WorkCenter__MaxConnectionsPerUser: '0',
    WorkCenter__RealtimeCheckInterval: '00:01:01',
    WorkCenter__AllowedOrigin: 'https://a.example.com',
  }
  expect(problemsOf(environment)).toEqual([
    'WorkCenter__MaxConnectionsPerUser: expected a whole number from 1 to 1000',
    'WorkCenter__RealtimeCheckInterval: expected a duration [d.]hh:mm:ss from 00:00:01 to 00:01:00',
    'WorkCenter__AllowedOrigin: unknown key',
  ])
})

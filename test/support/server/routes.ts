/** Every route of the coordination server, and what a caller gets who may use it. */

import { requestLine } from '../mcp/protocol.ts'
import { type Asked, callHeaders } from './http.ts'

type Route = Asked & { method: string; status: number }

const call = { headers: callHeaders('legacy'), body: requestLine(1, 'ping') }
const json = { 'content-type': 'application/json' }

export const health: Route = { method: 'GET', path: '/health', status: 200 }

export const guardedRoutes: Route[] = [
  { method: 'GET', path: '/', status: 200 },
  { method: 'HEAD', path: '/', status: 200 },
  { method: 'GET', path: '/page.js', status: 200 },
  { method: 'GET', path: '/page.css', status: 200 },
  { method: 'GET', path: '/api/page', status: 200 },
  { method: 'POST', path: '/mcp', status: 200, ...call },
  { method: 'POST', path: '/mcp/other', status: 200, ...call },
  { method: 'GET', path: '/mcp', status: 405 },
  { method: 'OPTIONS', path: '/mcp', status: 405 },
  { method: 'GET', path: '/sse', status: 200 },
  { method: 'GET', path: '/sse/other', status: 200 },
  { method: 'POST', path: '/messages?sessionId=none', status: 404, ...call },
  { method: 'GET', path: '/api/hello', status: 200 },
  { method: 'GET', path: '/api/agents', status: 200 },
  { method: 'GET', path: '/api/messages', status: 200 },
  { method: 'GET', path: '/api/history', status: 200 },
  { method: 'GET', path: '/api/sent?from=ann', status: 200 },
  { method: 'GET', path: '/api/silence?name=ann', status: 200 },
  { method: 'GET', path: '/api/search?words=word', status: 200 },
  { method: 'GET', path: '/api/search', status: 400 },
  { method: 'GET', path: '/api/projects', status: 200 },
  { method: 'POST', path: '/api/call', status: 400, headers: json, body: '{}' },
  { method: 'POST', path: '/api/project', status: 400, headers: json, body: '{}' },
  { method: 'POST', path: '/api/projects/rename', status: 400, headers: json, body: '{}' },
  { method: 'POST', path: '/api/leave', status: 400, headers: json, body: '{}' },
  { method: 'POST', path: '/api/waiting', status: 200, headers: json, body: '{"names":["x"]}' },
  { method: 'POST', path: '/api/waiting', status: 400, headers: json, body: '{"names":"x"}' },
  { method: 'POST', path: '/api/notified', status: 400, headers: json, body: '{"name":"x"}' },
  { method: 'GET', path: '/nothing', status: 404 },
  { method: 'GET', path: '/health/more', status: 404 },
]

export const routes: Route[] = [
  health,
  { method: 'POST', path: '/health', status: 405 },
  ...guardedRoutes,
]

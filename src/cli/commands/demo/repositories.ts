/** The repositories of the demo: a shop, and the API beside it, with just enough in them to be worked on. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AgentMailError } from '../../../errors.ts'
import { makeFolder } from '../../../system/files.ts'
import { runProgram } from '../../../system/run-program.ts'

const files: Record<string, Record<string, string>> = {
  shop: {
    'README.md': '# Shop\n\nShirts and mugs.\n',
    'CHANGELOG.md': '# Changes\n',
    'package.json': '{ "name": "shop", "private": true }\n',
    'docs/api.md': '# API\n',
    'docs/coupons.md': '# Coupons\n',
    'e2e/checkout.spec.ts': "test('an order goes through', async () => {})\n",
    'src/cart/cart.ts': 'export const cart = []\n',
    'src/cart/cart-view.tsx': 'export const CartView = () => null\n',
    'src/checkout/checkout-page.tsx': 'export const CheckoutPage = () => null\n',
    'src/checkout/submit.ts': 'export const submit = async () => {}\n',
    'src/checkout/total.ts': 'export const totalOf = () => 0\n',
    'src/checkout/total.test.ts': "test('nothing costs nothing', () => {})\n",
    'src/coupons/coupon.ts': 'export interface Coupon { code: string }\n',
    'src/coupons/coupon-field.tsx': 'export const CouponField = () => null\n',
    'src/coupons/redeem.ts': 'export const redeem = async () => {}\n',
    'src/coupons/redeem.test.ts': "test('a coupon is used once', () => {})\n",
    'src/db/schema.sql': 'CREATE TABLE orders (id INTEGER PRIMARY KEY);\n',
    'src/i18n/en.json': '{}\n',
    'src/i18n/de.json': '{}\n',
    'src/i18n/fr.json': '{}\n',
    'src/prices/money.ts': 'export interface Money { cents: number; currency: string }\n',
  },
  api: {
    'README.md': '# API\n\nWhat partners of the shop use.\n',
    'openapi.yaml': 'openapi: 3.1.0\n',
    'src/limits/rate-limit.ts': 'export const callsAMinute = 600\n',
    'src/routes/coupons.ts': 'export const coupons = {}\n',
    'src/routes/orders.ts': 'export const orders = {}\n',
  },
}

/** @param parent where they are made, each under its name. */
export async function makeRepositories(parent: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const root = join(parent, name)
    for (const [path, text] of Object.entries(content)) {
      makeFolder(dirname(join(root, path)))
      writeFileSync(join(root, path), text)
    }
    await git(root, ['init', '--quiet', '--template=', '--initial-branch=main'])
    await git(root, ['add', '.'])
    await git(root, [...author, 'commit', '--quiet', '--no-verify', '-m', `Begin the ${name}`])
  }
}

/** Whatever the user has set for repositories of their own. */
const author = [
  ...['-c', 'user.name=You', '-c', 'user.email=you@shop.example'],
  ...['-c', 'commit.gpgSign=false', '-c', 'core.hooksPath=/dev/null'],
]

async function git(cwd: string, args: string[]): Promise<void> {
  const { outcome, stderr } = await runProgram('git', args, { cwd })
  if (outcome === 'ok') return
  throw new AgentMailError(
    'storage',
    'the repositories of the demo could not be made',
    outcome === 'missing' ? 'Install git.' : stderr.trim() || 'git did not answer.',
  )
}

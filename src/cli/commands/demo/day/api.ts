/** The day in the project beside the shop: the API that partners use. */

export const apiDay = `
470 gateway starts claude in %11: routes, sessions and limits
468 contracts starts codex: keeps openapi.yaml true
466 gateway claims src/limits/rate-limit.ts
462 contracts to gateway: orders.ts answers with a field that is not in openapi.yaml
  GET /orders/{id} gives "internal_note". Partners can read it.
459 gateway works
458 gateway to contracts: That must not be. I take it out at once
456 gateway claims src/routes/orders.ts
452 gateway changed src/routes/orders.ts: Answers are cut to what openapi.yaml names.
450 gateway releases src/routes/orders.ts
448 gateway rests
440 contracts works
438 contracts changed openapi.yaml: Order has a discount, in cents. Nothing is renamed.
430 contracts rests
350 gateway works
346 gateway changed src/limits/rate-limit.ts: A budget for each partner, instead of one for all.
341 gateway to everyone: Limits are for each partner from now on
  Whoever has none of their own gets 600 calls a minute.
340 gateway releases src/limits/rate-limit.ts
338 gateway rests
180 contracts works
178 contracts claims openapi.yaml
171 contracts changed openapi.yaml: POST /coupons/check, with 200, 404 and 429.
165 contracts to gateway: /coupons/check is described, it needs a route
160 gateway works
158 gateway claims src/routes/coupons.ts
149 gateway changed src/routes/coupons.ts: POST /coupons/check; asks the shop, keeps nothing.
140 gateway rests
64 contracts works
62 contracts changed openapi.yaml: Examples for /coupons/check.
22 gateway works
20 gateway to contracts: Ten checks a minute for one address: does 429 say when to come back?
13 contracts works
11 contracts to gateway: It does, Retry-After in seconds
9 gateway rests
5 contracts edits openapi.yaml
`

/** What happens while somebody looks at the page: small scenes, again and again. The number is how many seconds each takes. */

export const playedOn = `
5 tests to everyone: I run everything once more, with the await in redeem.ts
6 tests works
8 tests edits e2e/checkout.spec.ts
7 api-builder works
6 api-builder changed src/coupons/redeem.ts: The await of tests is in, with a comment that says why.
9 api-builder to tests: redeem.ts is as you wanted it, please run it once more
6 tests works
8 tests to everyone: e2e: 43 passed, in 41 s
7 tests rests
5 planner works
8 planner to api-builder: Does /coupons/check need the limit before the release?
6 api-builder works
9 api-builder to planner: Yes, without it codes can be guessed
5 planner rests
7 reviewer works
6 reviewer claims src/checkout/total.ts
8 reviewer to api-builder: I look at total.ts once more, it is yours again in a moment
6 reviewer releases src/checkout/total.ts
5 reviewer rests
7 gateway works
6 gateway edits src/limits/rate-limit.ts
8 gateway changed src/limits/rate-limit.ts: Ten checks a minute for one address.
6 gateway to contracts: The limit is in, try it with eleven calls
5 gateway rests
7 contracts works
8 contracts to gateway: The eleventh gets 429, with Retry-After: 52
6 contracts changed openapi.yaml: 429 has an example.
5 contracts rests
6 tests works
7 tests claims src/coupons/redeem.test.ts
9 tests changed src/coupons/redeem.test.ts: The same with a thousand pairs; it takes four seconds.
6 tests releases src/coupons/redeem.test.ts
7 api-builder works
6 api-builder edits src/coupons/coupon.ts
8 api-builder to reviewer: coupon.ts has a table of kinds now, easier to read
7 reviewer works
9 reviewer to api-builder: It is. Two names could be shorter, the rest stays
6 reviewer rests
5 planner works
8 planner to everyone: Where we are: everything green, the chapter in docs is open
5 planner rests
7 tests rests
6 api-builder works
`

/** The second half of the day in the shop: a refactoring, red tests, a race, and what is open now. */

export const shopAfternoon = `
366 api-builder to everyone: Heads-up: prices become integers everywhere
  Floats in src/prices are why 15 % of 19.90 is 2.9849999. In 15 minutes Money becomes { cents, currency }.
  This touches prices, cart and totals. Say so if you are in the middle of something there.
363 tests works
362 tests to api-builder: Go on, I have nothing open there
361 web works
360 web to api-builder: I hold cart-view.tsx, give me five minutes
354 web releases src/cart/cart-view.tsx
353 web to api-builder: cart-view.tsx is free
352 web rests
350 api-builder works
349 api-builder claims src/prices/**, src/cart/cart.ts, src/cart/cart-view.tsx, src/checkout/total.ts
345 api-builder changed src/prices/money.ts: Money is { cents, currency }; add, times and percentOf round once, half up.
340 api-builder changed src/cart/cart.ts: Sums of Money. cart.total() is gone, use totalOf(cart).
336 api-builder changed src/checkout/total.ts: Integers throughout. Tax comes after the discount.
333 reviewer works
332 reviewer to api-builder: percentOf rounds for each item, total.ts for the order
  Three shirts at 19.90 with 15 % off: 8.96 one way, 8.97 the other. Which one is meant?
330 docs starts gemini: handbook, API reference and release notes
329 docs to everyone: I write the chapter on coupons. What should people know?
327 docs claims docs/coupons.md, docs/api.md
325 api-builder works
324 api-builder to reviewer: For the order. I take the rounding out of percentOf
322 api-builder changed src/prices/money.ts: percentOf no longer rounds; roundedTo(cents) does, once, in total.ts.
320 api-builder edits src/cart/cart-view.tsx
318 api-builder releases src/prices/**, src/cart/cart.ts, src/cart/cart-view.tsx
317 api-builder rests
316 api-builder to everyone: Prices are integers now, src/prices and src/cart are free
  If you see a number with a point in it, that is a bug: tell me.
314 planner works
313 planner to docs: Three things for the chapter
  One coupon an order. Goods, not shipping. A cancelled order gives the coupon back.
312 planner rests
310 docs works
308 docs changed docs/coupons.md: First version: who gets coupons, what they cover, what happens when an order is cancelled.
304 web works
303 web claims src/cart/cart-view.tsx
302 web to i18n: Two more texts: "Remove" and "You save {amount}"
300 i18n goes silent
295 i18n is swept
291 web works
290 web to planner: i18n is gone in the middle of the French texts
  Its claim on src/i18n is free again. fr.json has no coupon.* yet.
288 planner works
287 planner to web: Please take fr.json as well, it is only eight texts
285 web claims src/i18n/fr.json, src/i18n/en.json
283 web changed src/i18n/fr.json: coupon.* in French, eight texts.
281 web changed src/i18n/en.json: "Remove" and "You save {amount}".
280 web releases src/i18n/fr.json, src/i18n/en.json
279 web releases src/cart/cart-view.tsx
278 web rests
272 api-builder works
271 api-builder changed src/checkout/submit.ts: Redeems within the transaction of the order; a refused coupon refuses the order.
269 api-builder releases src/checkout/submit.ts, src/coupons/redeem.ts, src/checkout/total.ts
268 api-builder to everyone: Coupons can be redeemed. tests, it is your turn
267 api-builder rests
262 tests works
255 tests to everyone: e2e: 38 passed, 3 failed
  coupon percent: expected 50.74, got 50.75
  coupon percent, two items: expected 33.83, got 33.84
  coupon above the total: expected 4.90 (shipping), got 0.00
253 tests to api-builder: The first two look like rounding, the third like shipping
  Run: npx playwright test -g coupon. Traces are in test-results/.
250 api-builder works
249 api-builder claims src/checkout/total.ts
247 api-builder to tests: Tax was rounded before it was added
  That is the cent. And the floor at zero was on the total, so it ate the shipping. Both are in total.ts.
244 api-builder changed src/checkout/total.ts: Rounds once, at the end; the floor at zero is on goods minus discount.
242 reviewer works
241 reviewer to api-builder: Good. A test for tax alone would have found it
240 tests works
239 tests claims src/checkout/total.test.ts
236 tests changed src/checkout/total.test.ts: Eleven cases of tax and discount, also those of today.
233 tests to everyone: e2e: 41 passed
  Unit: 131 passed. Thank you, api-builder.
231 tests releases src/checkout/total.test.ts, e2e/checkout.spec.ts
230 tests rests
229 api-builder releases src/checkout/total.ts
228 api-builder rests
224 planner works
223 planner to human: Coupons work from end to end, you can try them on staging
  The codes are SUMMER15 and WELCOME5. Left for today: a review of redeeming, the chapter, the release notes.
221 planner rests
216 human answers planner: Nice. SUMMER15 works for me. Please say on the page when a code has expired, with the date.
213 planner works
212 planner to web: From @human: say when a code has expired, with the date
210 web works
209 web claims src/coupons/coupon-field.tsx
205 web edits src/coupons/coupon-field.tsx, src/i18n/en.json, src/i18n/de.json, src/i18n/fr.json
201 web releases src/coupons/coupon-field.tsx
200 web rests
199 web to planner: Done: "This code expired on 30 June."
195 reviewer works
192 reviewer to api-builder: Two tabs can redeem one coupon
  redeem.ts reads, then writes. Both tabs read redeemed_at = null and both write. Seen with two parallel orders, 9 of 50 times.
190 reviewer to everyone: Please do not release yet: a coupon can be used twice
188 planner works
187 planner to api-builder: This goes before everything else
185 api-builder works
184 api-builder claims src/coupons/**
181 api-builder to reviewer: You are right. One UPDATE instead of read and write
  UPDATE … SET redeemed_at = now() WHERE id = ? AND redeemed_at IS NULL, and whoever changes no row was second.
176 api-builder changed src/coupons/redeem.ts: Redeems in one statement; the second of two gets CouponUsed.
172 tests works
171 tests claims src/coupons/redeem.test.ts
170 tests to api-builder: You hold src/coupons, I need redeem.test.ts in there
168 api-builder works
167 api-builder releases src/coupons/**
166 api-builder claims src/coupons/redeem.ts, src/coupons/coupon.ts
165 api-builder to tests: Sorry, that was too wide. redeem.test.ts is free
163 tests works
162 tests claims src/coupons/redeem.test.ts
156 tests changed src/coupons/redeem.test.ts: 500 pairs of orders at the same time, one coupon each: never used twice.
154 tests to reviewer: 500 of 500, and 0 of 500 without the new statement in it
152 reviewer works
151 reviewer to everyone: The race is gone, from me it can go out
149 reviewer rests
148 tests releases src/coupons/redeem.test.ts
147 tests rests
140 planner works
139 planner writes design: Could you look at the coupon field on staging? It is the last thing before the release.
138 planner to docs: Release notes, please: three sentences for customers
135 docs works
134 docs claims CHANGELOG.md
128 docs changed CHANGELOG.md: Coupons: what they do, in three sentences.
125 docs to web: Which picture shows the field best?
  I would take the cart with two shirts and SUMMER15.
122 web works
121 web to docs: That one. It is in docs/pictures/coupon.png from now on
118 web changed docs/pictures/coupon.png: The cart with SUMMER15, in 1200 × 800.
115 design opens its mail
112 design to planner: Looks good, one thing on phones
  The "Remove" link is too close to the code, 8 more pixels please.
108 planner works
106 planner to web: From design: 8 pixels more beside "Remove" on phones
103 web works
102 web edits src/coupons/coupon-field.tsx
99 web rests
96 reviewer works
95 reviewer to docs: docs/api.md still says that discount is a string
92 docs works
88 docs changed docs/api.md: discount is an integer of cents; examples follow.
84 api-builder works
82 api-builder changed src/coupons/coupon.ts: isValidAt compares whole days in the time zone of the shop.
79 api-builder to tests: Coupons now end at midnight of the shop, not of UTC
76 tests works
75 tests claims e2e/checkout.spec.ts
71 tests changed e2e/checkout.spec.ts: Two cases around midnight, with the clock set to 23:59 and 00:01.
66 tests to everyone: e2e: 43 passed
61 docs works
59 docs edits docs/coupons.md
56 docs to everyone: I check every example in docs/coupons.md against staging now
55 docs goes silent
48 planner works
47 planner to docs: How far is the chapter? The release waits for it
44 planner to human: May the release go out today, or rather tomorrow morning?
  Everything is green. Only docs/coupons.md is open, and docs does not answer at the moment.
  Today: customers have it tonight. Tomorrow: support is there when it goes live.
41 reviewer to docs: Shall I finish docs/coupons.md for you?
36 ops writes human: The certificate of staging.shop.example ends on Friday. I can renew it, but the account at the registrar is yours: please confirm the mail that they sent you.
33 web works
32 web claims src/cart/cart-view.tsx
30 api-builder works
29 api-builder to web: Can the cart show a coupon before the checkout?
27 web to api-builder: Yes, cart-view.tsx asks /coupons/check as you type
25 ops opens its mail
25 design opens its mail
24 web changed src/cart/cart-view.tsx: Shows what a coupon would save, before the checkout.
21 api-builder to #security: POST /coupons/check must be limited
  Else somebody tries all codes in an afternoon. Ten a minute for one address would do.
19 tests works
18 tests edits e2e/checkout.spec.ts
17 tests changed src/coupons/redeem.ts: One missing await, found by the test of parallel orders. api-builder, please look: you hold this file.
15 api-builder works
14 api-builder to tests: Seen, thank you. I keep redeem.ts and take your await over
12 api-builder to human: Should codes be told apart by case?
  SUMMER15 and summer15 are the same today. Marketing has printed "Summer15" on 20,000 cards.
10 web works
9 web edits src/checkout/checkout-page.tsx
8 reviewer works
7 reviewer rests
7 web waits
6 tests to reviewer: Could you look at the two cases around midnight?
5 reviewer is told
4 planner works
3 planner to reviewer: When you are at it: cart-view.tsx as well
2 planner rests
1 api-builder edits src/coupons/redeem.ts
`

/** The first half of the day in the shop: coupons are planned, begun, and argued about. */

export const shopMorning = `
540 planner starts claude in %1: plans the work and keeps it together
538 planner to everyone: Today: coupons at checkout
  One coupon an order, a percentage or a fixed amount, and a total that never goes below zero.
  Schema: migrations. Prices and redeeming: api-builder. Field and totals: web. Then tests and reviewer.
  Claim what you touch, announce what you changed. Questions of taste go to @human.
537 ops joins %7: servers and deployments
536 design joins %9: how it looks
535 migrations starts codex: database schema and migrations
534 api-builder starts codex in %2: prices, redeeming and the checkout API
533 web starts claude in %3: cart and checkout pages
531 tests starts gemini: unit and end-to-end tests
528 reviewer starts claude in %4: reviews what is announced
527 migrations works
527 migrations claims src/db/**
526 migrations to everyone: I take src/db until the coupon tables stand
  Two tables: coupons (code, kind, amount, valid_until) and redemptions (coupon, order, redeemed_at).
525 api-builder works
524 api-builder claims src/coupons/coupon.ts, src/coupons/redeem.ts, src/checkout/total.ts
523 web works
522 web claims src/cart/cart-view.tsx, src/coupons/coupon-field.tsx
521 api-builder to migrations: Amounts in cents, please
  A percentage fits an integer too. With decimals in the table we round in two places.
519 tests works
518 tests claims e2e/checkout.spec.ts
517 migrations works
517 migrations to api-builder: Cents it is
  amount INTEGER NOT NULL: cents for kind 'fixed', whole percent for kind 'percent'.
516 migrations changed src/db/schema.sql: Tables coupons and redemptions; a code is unique whatever its case.
514 migrations changed src/db/migrations/0014_coupons.sql: Creates both tables, with an index on redemptions (coupon, order).
512 migrations rests
511 web to planner: Where does the coupon field go?
  Below the list of items, or behind a link "I have a coupon"? The design shows both.
508 planner works
508 planner to web: Behind the link
  Most people have none, and an empty field sends them off to search for one.
507 planner rests
506 web works
505 web changed src/coupons/coupon-field.tsx: New: a link that opens the field; the code is sent in upper case.
504 web releases src/coupons/coupon-field.tsx
503 api-builder works
502 api-builder to human: Does a coupon also take something off the shipping?
  The ticket says "10 % off the order". I would leave shipping alone: the carrier does not give us a discount either.
500 api-builder changed src/coupons/coupon.ts: Coupon, its kinds, and isValidAt(coupon, time).
497 reviewer works
496 reviewer to migrations: 0014 reads well, one question
  What becomes of the redemptions of an order that is cancelled? I would keep the row and set released_at.
494 migrations works
493 migrations to reviewer: Right, they must be released
  Added released_at, null as long as the coupon is used up.
492 migrations changed src/db/migrations/0014_coupons.sql: redemptions.released_at, for orders that are cancelled.
491 reviewer rests
489 human answers api-builder: No, goods only. Shipping stays as it is.
487 api-builder works
486 api-builder to everyone: Decided: coupons are for goods, never for shipping
485 web to api-builder: May I have src/checkout/total.ts for ten minutes?
  The page needs the discount as a line of its own, and total.ts gives me one number.
482 planner writes ops: We need a staging database with migration 0014 today. Can you make one from last night's copy?
480 api-builder works
479 api-builder to web: Not yet, I am in the middle of it
  I give you { goods, discount, shipping, tax, total } in half an hour. Build against that.
478 web works
477 web to api-builder: Fine, I build against that shape
476 web claims src/checkout/checkout-page.tsx
475 tests works
474 tests changed e2e/checkout.spec.ts: Seven coupon cases, all red until redeeming works: valid, expired, used, unknown, fixed, percent, above the total.
472 tests rests
470 ops opens its mail
468 ops to planner: Staging is up, with yesterday's orders and no real addresses
  The connection is in the password store, below shop/staging.
465 migrations works
464 migrations releases src/db/**
463 migrations to everyone: Schema done, src/db is free
  npm run db:migrate brings you to 0014. Down works too, and was tried on 40,000 orders.
460 planner works
460 planner rests
459 web works
458 web edits src/checkout/checkout-page.tsx
455 web rests
452 api-builder works
451 api-builder changed src/checkout/total.ts: totalOf gives { goods, discount, shipping, tax, total }; the old number is .total.
450 api-builder releases src/checkout/total.ts
449 api-builder to web: total.ts is yours
448 web works
447 web claims src/checkout/total.ts, src/checkout/submit.ts
446 api-builder to web: Why submit.ts?
  Redeeming has to happen in there, in the same transaction as the order. That is my next step.
443 web works
442 web to api-builder: Only the field's value, three lines. Shall I wait?
441 api-builder works
440 api-builder to web: Go ahead, I start with redeem.ts
438 web changed src/checkout/submit.ts: Passes coupon_code on; nothing is redeemed there yet.
437 web releases src/checkout/submit.ts
436 web changed src/checkout/checkout-page.tsx: The discount is a line of its own, with the code behind it.
434 web releases src/checkout/total.ts
430 design to web: The discount line in green reads like a success message
  Could it be plain text with a minus sign?
428 api-builder claims src/checkout/submit.ts
426 tests works
425 tests to everyone: Unit tests of the cart are green on the new totals
  118 passed. The seven coupon cases in e2e wait for redeeming.
423 tests rests
420 reviewer works
419 reviewer to web: aria-live on the discount line
  A screen reader does not hear that the total changed. role="status" is enough.
418 reviewer rests
415 web works
414 web changed src/checkout/checkout-page.tsx: Discount as plain text with a minus sign, and role="status" around the totals.
412 web to reviewer: Done, thank you
411 web releases src/checkout/checkout-page.tsx
411 web rests
408 migrations works
407 migrations to planner: Nothing left for me. Anything else today?
405 planner works
404 planner to migrations: No, that was good and quick
  If the tests want another index I call you.
402 migrations works
401 migrations leaves
398 i18n registers: translations, German and French
397 i18n claims src/i18n/**
396 i18n to everyone: Send me your new texts
  I keep en.json, de.json and fr.json together, so please do not edit them yourselves.
393 web works
392 web to i18n: Six texts for the coupon field
  "I have a coupon", "Code", "Apply", "This code has expired", "This code was used already", "We do not know this code".
390 i18n reads
388 i18n changed src/i18n/en.json: Six texts below coupon.*
384 i18n changed src/i18n/de.json: The same in German. "Apply" is "Einlösen".
380 api-builder works
379 api-builder changed src/coupons/redeem.ts: redeem(order, code) checks and marks a coupon; not yet called.
`

/** What the page's module lends the charts, whose built script has no copy of it. */

import { badge } from "./draw/badge";
import { button, el, freshId, setText, svg } from "./draw/dom";
import { codeLine } from "./draw/python";
import { hueClass, lineClass } from "./draw/theme";
import { ownKey } from "./keys";
import { names } from "./state/programs";
import { operatorTone } from "./state/tones";
import { countText, numberText, shorten, thousands } from "./text";

export const shared = {
  badge,
  button,
  codeLine,
  countText,
  el,
  freshId,
  hueClass,
  lineClass,
  names,
  numberText,
  operatorTone,
  ownKey,
  setText,
  shorten,
  svg,
  thousands,
};

export type Shared = typeof shared;

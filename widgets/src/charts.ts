/**
 * What a picture needs on request only: the views behind tabs, what the help says of
 * signs, and saving it as a file. It is a module of its own, loaded when any of that is
 * first asked for.
 */

import type { Panel } from "./views/chapter";
import { ClusterView } from "./views/cluster";
import { FlameView } from "./views/flame";
import { PassesView } from "./views/passes";
import { PlanView } from "./views/plan";
import { RewrittenView } from "./views/rewritten";
import { SignsView } from "./views/signs";
import { TrainingView } from "./views/training";

export { save } from "./draw/export";

/** How to make each view, by its title. */
export const views: Readonly<Record<string, new () => Panel>> = {
  "Passes": PassesView,
  "Memory plan": PlanView,
  "to_static": RewrittenView,
  "Training": TrainingView,
  "Profile": FlameView,
  "Cluster": ClusterView,
  "Signs": SignsView,
};

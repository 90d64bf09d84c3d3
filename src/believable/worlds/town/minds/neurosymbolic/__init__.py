"""A neuro-symbolic agent.

mind          decides: perceive, then talk or act; check before acting; repair
person        the state that all parts share, and the options
goals         the typed goals of a day; model_goals adds the wishes of a language model
schedule      when each goal is done
days          from one goal to the next, and free time
methods       from goals to the tasks that the body carries out
checks        objections before an action
talks         the acts of a talk, with their sentences in speech
"""

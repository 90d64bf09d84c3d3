"""A generative agent (Park et al. 2023).

mind          decides: perceive, react, reflect, then talk or do the task
person        the state that all parts share
experience    hears, sees and remembers, with perception, memory_stream, retrieval, reflection
days, tasks   plans and their execution by the body, with the prompts in planning
encounters    whether to talk with a person in sight, and the talk
asking        ask the model and read its answer; the prompts are in prompts/
"""
